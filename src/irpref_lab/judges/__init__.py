"""Grades of an LLM judge beside human ones, in three ways.

- `filling` (`irpref_lab.fill`) fills unjudged documents with the judge's grades, once `calibration`
  has found which human grades they stand for;
- `predictions` (`irpref_lab.judge`) corrects the judge's values of all topics on those topics that
  humans judged; `savings` tells how many grades a sample would need instead;
- `planning` (`irpref_lab.sample`) draws the documents that humans should judge, and `sampled`
  (`irpref_lab.sampled`) takes their grades. A plan and its file are in `plans`, the statistics in
  `priority_sampling` and `looks`. `additive` finds the measures that can be estimated,
  `rank_weights` how much each document counts, and `partners` which documents are drawn together.
  `sampled_judgments` estimates values, and `sampled_runs` answers verdicts.

`grades` holds the frames of grades that all of these read.
"""
