"""How far values can be trusted: ties, unjudged documents, and the choice of topics.

- `intervals` asks one of the three: `ties` (the order of documents with equal scores), `holes`
  (the grades of unjudged documents) or `topics` (other topics of the same kind);
- `t_tests` and `bounds` are the statistics of mean differences: p-values and intervals, and the
  bounds for samples that show too little variance;
- `design` says how many topics it takes to detect a difference, `samples` draws topics;
- `interval_tables` and `interval_lines` have the form of a table of intervals and the line that it
  begins with, `frames` the form of a result; `batches` groups topics that are evaluated together.
"""
