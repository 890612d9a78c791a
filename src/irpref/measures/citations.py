"""`irpref.cite`: what to put into your bibliography and your methods section."""

from __future__ import annotations

from irpref.measures.declare import Measures
from irpref.measures.literature import cite as of_measures
from irpref.measures.names import parse_all


def cite(measures: Measures = ()) -> str:
    """Cite the papers that define these measures, ir_measures and irpref, in BibTeX.

    Parameters
    ----------
    measures : measures or names, of any toolkit, optional

    Returns
    -------
    str
        Entries, preceded by comments with the parameters of each measure and a sentence for your
        methods section.

    Raises
    ------
    ValueError
        As `irpref.parse`.

    Examples
    --------
    >>> print(cite("PMeasure@10").splitlines()[0])
    % P-measure (PMeasure at 10: beta=1.0, judged_only=False, cutoff=10)
    """
    return of_measures(parse_all(measures))
