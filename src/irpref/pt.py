"""What PyTerrier finds through its entry points."""


def load() -> object:
    """Return what `pt.irpref` is bound to."""
    return None


def dataset_provider() -> object:
    """Return what `pt.get_dataset("irpref:...")` asks for the worked examples and the synthetic collection."""
    from irpref.datasets.pyterrier import ExampleDatasets

    return ExampleDatasets()
