"""What is deprecated still works, and says at the user's line until which version."""

import re
import warnings

import pytest

import irpref
from irpref.deprecation import deprecated, deprecated_argument
from irpref.errors import DeprecatedWarning
from irpref.measures import toml_files

SOON = {"since": "0.2", "removal": "0.4"}


@deprecated(**SOON, instead="irpref.score")
def old_score(value: int, *, twice: bool = False) -> int:
    """A value."""
    return 2 * value if twice else value


@deprecated_argument("n_samples", **SOON, new="samples")
@deprecated_argument("quick", **SOON)
def stability(*, samples: int = 100, quick: bool = False) -> tuple[int, bool]:
    return samples, quick


def test_a_function_works_and_warns_at_the_line_that_calls_it():
    with pytest.warns(DeprecatedWarning) as told:
        assert old_score(3, twice=True) == 6
    (warning,) = told
    assert warning.filename == __file__
    assert isinstance(warning.message, (FutureWarning, irpref.IrprefWarning))
    assert issubclass(
        DeprecatedWarning, FutureWarning
    )  # shown by default, unlike DeprecationWarning
    assert str(warning.message) == (
        f"{__name__}.old_score is deprecated since irpref 0.2 and will be removed in 0.4: "
        "use irpref.score"
    )
    assert warning.message.removal == "0.4"
    assert (old_score.__name__, old_score.__doc__) == ("old_score", "A value.")


def test_an_argument_keeps_its_meaning_under_its_new_name():
    with pytest.warns(
        DeprecatedWarning, match="the argument n_samples of .*stability .*: use samples"
    ):
        assert stability(n_samples=7) == (7, False)
    with pytest.warns(DeprecatedWarning, match="the argument quick .*: nothing replaces it"):
        assert stability(quick=True) == (100, True)
    with (
        pytest.warns(DeprecatedWarning),
        pytest.raises(ValueError, match="n_samples and samples are one argument: give samples"),
    ):
        stability(n_samples=7, samples=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stability(samples=5) == (5, False)


@pytest.fixture
def renamed(monkeypatch):
    """`PrefScore` is what `RPref` was called."""
    old = {"PrefScore": {"instead": "RPref", "since": "0.2", "removal": "0.4"}}
    monkeypatch.setitem(toml_files.data("names.toml"), "deprecated", old)


def test_a_measure_is_found_under_its_old_name(renamed, capsys, tmp_path, monkeypatch):
    said = (
        "the measure PrefScore is deprecated since irpref 0.2 and will be removed in 0.4: use RPref"
    )
    with pytest.warns(DeprecatedWarning, match=said) as told:
        assert irpref.parse("PrefScore(max_rel=3)@10") == irpref.RPref(max_rel=3) @ 10
    assert told[0].filename == __file__
    with pytest.warns(DeprecatedWarning, match=said):
        assert irpref.PrefScore == irpref.RPref
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    from irpref.cli import main

    assert main(["eval", "qrels", "run", "PrefScore(max_rel=1)"]) == 0
    out, err = capsys.readouterr()
    assert out == "RPref(max_rel=1)\t1.0000\n"
    assert err == f"irpref: warning: {said}\n"


def test_every_name_that_is_deprecated_says_until_when():
    version = tuple(map(int, re.findall(r"\d+", irpref.__version__)))
    for name, about in toml_files.data("names.toml")["deprecated"].items():
        assert set(about) == {"instead", "since", "removal"}
        with pytest.warns(DeprecatedWarning):
            assert irpref.parse(name) == irpref.parse(about["instead"])
        since, removal = (tuple(map(int, about[key].split("."))) for key in ("since", "removal"))
        assert since <= version[: len(since)], name
        assert removal > version[: len(removal)], f"{name} was to be removed in {about['removal']}"
