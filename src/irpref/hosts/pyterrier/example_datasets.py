"""The examples as PyTerrier datasets: `pt.get_dataset("irpref:synthetic")`.

Topics, judgments and runs (`get_results(variant)`), in PyTerrier's columns. This module
imports PyTerrier; PyTerrier's entry point imports this module.
"""

from __future__ import annotations

import pandas as pd
import pyterrier as pt

from irpref.datasets import Example, examples, load
from irpref.errors import ArgumentError


class ExampleDataset(pt.datasets.Dataset):
    """One example.

    Parameters
    ----------
    example : Example
        The result of `irpref.datasets.load`.
    """

    def __init__(self, example: Example) -> None:
        self._example = example

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics: columns `qid`, `query`."""
        self._no_variant("topics", variant)
        return pd.DataFrame(self._example.queries.items(), columns=["qid", "query"])

    def get_topics_lang(self) -> str:
        return "en"

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the judgments: columns `qid`, `docno`, `label`, and `known` and `expected` if
        present.
        """
        self._no_variant("qrels", variant)
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
        return self._example.qrels_frame().rename(columns=names)

    def get_results(self, variant: str | None = None) -> pd.DataFrame:
        """Return a run: columns `qid`, `query`, `docno`, `score`, `rank` (from 0, in order of the
        scores).

        Parameters
        ----------
        variant : str, optional
            Name of the run; the first one if not given.

        Raises
        ------
        ValueError
            There is no such run.
        """
        if variant is None:
            variant = next(iter(self._example.runs))
        if variant not in self._example.runs:
            there_are = ", ".join(self._example.runs)
            raise ArgumentError(
                f"no results {variant!r} in irpref:{self._example.id}; there are {there_are}",
                parameter="variant",
                value=variant,
            )
        frame = self._example.run_frame(variant).rename(
            columns={"query_id": "qid", "doc_id": "docno"}
        )
        # Topics in their order; equal scores by docno descending, as trec_eval orders them.
        frame = self.get_topics().merge(frame.sort_values(["score", "docno"], ascending=False))
        return frame.assign(rank=frame.groupby("qid").cumcount())

    def _describe_component(self, component: str) -> bool | list[str] | None:
        if component == "results":
            return list(self._example.runs)
        return True if component in ("topics", "qrels") else None

    def _no_variant(self, component: str, variant: str | None) -> None:
        if variant is not None:
            raise ArgumentError(
                f"irpref:{self._example.id} has one set of {component}, no variant {variant!r}",
                parameter="variant",
                value=variant,
            )

    def __repr__(self) -> str:
        return f"ExampleDataset({self._example.id!r})"


class ExampleDatasets(pt.datasets.DatasetProvider):
    """The provider of the prefix `irpref:`."""

    def get_dataset(self, name: str) -> ExampleDataset:
        """Return the dataset of an example.

        Raises
        ------
        KeyError
            There is no example of this name.
        """
        return ExampleDataset(load(name))

    def list_dataset_names(self) -> list[str]:
        return examples()
