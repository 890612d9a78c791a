"""Boards and comparisons over several collections.

`parts` has the systems on each collection, `claims` the reasons against verdicts, which each
collection gives as if it were alone, `numbers` the tests and places over all collections, and
`board` and `pairs` the verdicts. The statistics are in `irpref_lab.across.strata`, the results in
`irpref_lab.decide.results.collections`. A system that lacks a collection, or whose run there
answers no judged topic, is left out of all tests: a mean over other collections would compare other
things."""
