"""Several values under names."""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """Base of classes with named fields: `class Place(Record)` with the lines `rank: int`, `row:
    int`.

    A value in the class is a default. What the standard library has for this takes a third of a
    millisecond per class at import, and the shortest evaluation imports twenty such classes."""

    _fields: ClassVar[dict[str, Any]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        own = cls.__annotations__  # not those of its parents
        cls._fields = {**cls._fields, **own}
        cls._defaults = {
            **cls._defaults,
            **{name: cls.__dict__[name] for name in own if name in cls.__dict__},
        }

    def __init__(self, *values: Any, **named: Any) -> None:
        if len(values) > len(self._fields) or not named.keys() <= self._fields.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self._fields)}")
        self.__dict__.update(self._defaults)
        self.__dict__.update(zip(self._fields, values, strict=False))
        self.__dict__.update(named)

    def but(self, **named: Any) -> Self:
        """The same with other values in these fields."""
        return type(self)(**{name: getattr(self, name) for name in self._fields} | named)
