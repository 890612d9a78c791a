"""Hypothesis profiles and the real data that some tests read."""

import os
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import compared
from command_server import CommandServer
from shells import call, files  # noqa: F401  # fixtures

settings.register_profile("quick", max_examples=8, deadline=None, derandomize=True)
# Fresh examples at each run: few are enough beside the hundred of `ci`, which never change.
settings.register_profile("dev", max_examples=15, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None
)  # minutes: HYPOTHESIS_PROFILE=thorough
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the commands of the lab where the source is on the path, or was installed before
    there were any: only an installation makes entry points known.
    """
    if entry_points(group="irpref.commands"):
        return
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    declared = Path(folder.name, "irpref_commands-0.dist-info")
    declared.mkdir()
    about = "Metadata-Version: 2.1\nName: irpref-commands\nVersion: 0\n"
    (declared / "METADATA").write_text(about)
    points = "[irpref.commands]\nlab = irpref_lab.commands:SECTION\n"
    (declared / "entry_points.txt").write_text(points)
    sys.path.append(folder.name)
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [path, folder.name]))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--compared", metavar="FILE", help="write down how many values were compared with what"
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--compared")
    if path:
        Path(path).write_text(compared.written(), encoding="utf-8")


@pytest.fixture(autouse=True)
def _warned_anew() -> None:
    """Forget the warnings of one test before the next."""
    from irpref.messages import forget

    forget()


@pytest.fixture(autouse=True)
def _wide_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables be as wide as they need to be, whatever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_open_figures() -> Iterator[None]:
    """Close the pictures of one test before the next, whatever the order."""

    def close() -> None:
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")

    close()
    yield
    close()


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    if not hasattr(os, "fork"):
        pytest.skip("needs processes that fork")
    server = CommandServer()
    yield server
    server.close()


@pytest.fixture
def pipeline_as_before() -> Iterator[None]:
    """Check that ir_measures computes its measures itself after the test, as before it."""
    import ir_measures

    import irpref

    before = list(ir_measures.DefaultPipeline.providers)
    yield
    irpref.accelerate(False)
    assert ir_measures.DefaultPipeline.providers == before


# The synthetic collection in PyTerrier.


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PyTerrier's own stages find no documentation to look up when they are drawn."""
    monkeypatch.setattr(pytest.importorskip("pyterrier").documentation, "_cached_objects_inv", {})


@pytest.fixture(scope="session")
def dataset() -> Any:
    return pytest.importorskip("pyterrier").get_dataset("irpref:synthetic")


@pytest.fixture(scope="session")
def topics(dataset: Any) -> Any:
    return dataset.get_topics()


@pytest.fixture(scope="session")
def qrels(dataset: Any) -> Any:
    return dataset.get_qrels()


@pytest.fixture(scope="session")
def systems(dataset: Any) -> dict[str, Any]:
    """Make three runs transformers."""
    made = pytest.importorskip("pyterrier").Transformer.from_df
    return {name: made(dataset.get_results(name)) for name in ("baseline", "strong", "noisy")}


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Return the directory of the public test collections, which `IRPREF_DATA` names."""
    if not os.environ.get("IRPREF_DATA"):
        pytest.skip("needs the public test collections: IRPREF_DATA is not set")
    return Path(os.environ["IRPREF_DATA"])
