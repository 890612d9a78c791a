
"""Warnings and errors, each made to happen when the site is built, with what it means and what to
do about it.

A kind of messages is known by the words that its messages share, with `…` for what is filled in.
What stands in the package itself is not repeated here: `tests/test_troubles.py` reads it from the
sources, and wants a kind for each."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# The code runs in a folder of its own that holds these as files, too: qrels.txt and run.txt.
QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1, "d3": 0}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d1": 1.0}}


class Kind(NamedTuple):
    """Words to look for, code that brings one such message about (`$ ` for a command), what it
    means, what to do.
    """

    words: str | tuple[str, ...]
    code: str
    means: str
    remedy: str

    def spellings(self) -> tuple[str, ...]:
        """All words of the kind."""
        return (self.words,) if isinstance(self.words, str) else self.words

    def fits(self, message: str) -> bool:
        """Whether a message is of this kind."""
        return any(re.search(pattern(words), message, re.DOTALL) for words in self.spellings())


def pattern(words: str) -> str:
    """A regular expression for words with `…`."""
    return ".*".join(re.escape(part) for part in words.split("…"))


KINDS = {
    "Warnings": (
        Kind(
            "labels are read as grades: …",
            "irpref.read_qrels(file('q1 0 d1 S\\nq1 0 d2 C\\n'))",
            "The qrels have labels in place of numbers, and the message says which grade each of "
            "them became.",
            "Nothing, if the order is right; otherwise pass `labels={'S': 3, ...}`.",
        ),
        Kind(
            "max_rel is not given, … was taken",
            "irpref.RPref.evaluate(QRELS, RUN)",
            "The measure needs the top of the grade scale, and took it from the judgments at "
            "hand; other judgments (a batch, a fold, a subset) would give other values.",
            "Write `RPref(max_rel=...)`, or let `irpref.bind(measures, qrels)` fill it in from "
            "the whole collection.",
        ),
        Kind(
            "the run repeats …; the last row of each counts",
            "import pandas as pd\nrows = [('q1', 'd1', 2.0), ('q1', 'd1', "
            "1.0)]\nirpref.QMeasure.evaluate(QRELS, pd.DataFrame(rows, columns=['query_id', "
            "'doc_id', 'score']))",
            "The ranking of a topic has a document more than once.",
            "Find out why the run repeats documents. `irpref eval --strict` refuses such runs.",
        ),
        Kind(
            "pytrec_eval rounds scores to 32 bits and would rank the judged documents of … "
            "differently",
            "irpref.evaluator(['AP'], QRELS).calc_aggregate({'q1': {'d1': 16777217.0, 'd2': "
            "16777216.0}})",
            "Two tools of the field order these documents differently: trec_eval by the scores of "
            "the file, pytrec_eval by scores rounded to 32 bits.",
            "Say in the paper which order was used; the message names what gives that of "
            "pytrec_eval.",
        ),
        Kind(
            "these judgments are a sample",
            "from irpref.data.collections import judgments\nfrom types import "
            "SimpleNamespace\nfrom collections import namedtuple\nRow = namedtuple('Row', "
            "'query_id doc_id relevance iprob')\njudgments(SimpleNamespace(qrels_iter=lambda: "
            "[Row('q1', 'd1', 1, 0.5)]))",
            "Documents to judge were drawn at random, some more likely than others, as in TREC's "
            "Million Query track.",
            "Use measures made for such samples (statAP and its kin), or say that the values are "
            "those of the sample.",
        ),
        Kind(
            "the grades of … count down",
            "from irpref.data.collections import judgments\nfrom types import "
            "SimpleNamespace\nfrom collections import namedtuple\nRow = namedtuple('Row', "
            "'query_id doc_id relevance')\njudgments(SimpleNamespace(dataset_id=lambda: "
            "'cranfield', qrels_iter=lambda: [Row('q1', 'd1', 1)]))",
            "In these judgments 1 is the best grade, and every measure takes a higher grade for a "
            "better one.",
            "Regrade them as the message says before you evaluate.",
        ),
        Kind(
            "the qrels have negative grades",
            "irpref.nCRP.evaluate({'q1': {'d1': 1, 'd2': -1}}, RUN)",
            "The measure named in the message has bounds for grades from 0 on, and these "
            "judgments have lower ones.",
            "Set negative grades to 0 where they should count as not relevant.",
        ),
        Kind(
            "no document of these qrels is judged non-relevant",
            "irpref.BprefVariant.evaluate({'q1': {'d1': 1}}, RUN)",
            "The measure compares relevant documents with judged non-relevant ones, of which "
            "there are none.",
            "Take a measure that does not need them: `AP`, `nDCG`, `QMeasure`.",
        ),
        Kind(
            "the run is empty: all topics have the value of an empty ranking",
            "Path('empty.txt').write_text('')\n$ irpref eval qrels.txt empty.txt AP P@5",
            "The file holds no line, which is a run that found nothing.",
            "Look at what wrote the file.",
        ),
        Kind(
            "check: …",
            "Path('part.txt').write_text('q1 Q0 d1 1 2 x\\n')\n$ irpref eval qrels.txt part.txt AP",
            "The table above stands, and something grave was seen in what it was made of.",
            "`irpref check` with the same files says more, and [what each finding "
            "means](../check.md) has its own page.",
        ),
        Kind(
            "has no p-value for …",
            "irpref.leaderboard(['P@1'], {t: {'a': 1} for t in 'xyz'}, {'b': {t: {'a': 1} for t "
            "in 'xyz'}, 'c': {}}, pairs='holm')",
            "A paired t-test divides by how much the difference varies over the topics, which "
            "here is not at all.",
            "Take the test by default, `stepdown`.",
        ),
        Kind(
            "…: without …, for which there is no measure",
            "irpref.parse_all('official')",
            "`official` and `all_trec` stand for many names of trec_eval, and irpref does not "
            "compute all of them.",
            "`irpref.parse` with one of the names left out says what to use in its place.",
        ),
        Kind(
            "hold… a judgment twice, first in topic …; each of the two counts",
            "twice = irpref.read_preferences(file('q1 g 1 a 2\\nq1 g 1 b 1\\nq1 g 1 b "
            "1\\n'))\nirpref.evaluator(['PrefShare'], twice).calc_aggregate(RUN)",
            "The file has the same preference judgment twice.",
            "Remove one of the two, if that is not meant.",
        ),
        Kind(
            "ir_measures counts the later line",
            "Path('twice.txt').write_text('q1 0 d1 1\\nq1 0 d1 2\\n')\n$ irpref eval twice.txt "
            "run.txt 'Compat(p=0.8)'",
            "The judgments contradict themselves, and measures that are left to ir_measures take "
            "the later line.",
            "Reduce them to one judgment a document first.",
        ),
        Kind(
            "lower is better, but pt.GridSearch and pt.KFoldGridSearch choose the highest value",
            "import pyterrier as pt\ndata = pt.get_dataset('irpref:synthetic')\ncut = "
            "pt.RankCutoff(10)\nsystem = pt.Transformer.from_df(data.get_results('strong')) >> "
            "cut\npt.GridSearch(system, {cut: {'k': [5, 10]}}, data.get_topics(), "
            "data.get_qrels(), irpref.nCRP, verbose=False)",
            "PyTerrier takes the highest value for the best, which is the worst here.",
            "Call `pt.irpref.GridSearch` or `pt.irpref.KFoldGridSearch`.",
        ),
        Kind(
            "the contributions shown do not add up to …",
            "import pyterrier as pt\ndata = pt.get_dataset('irpref:synthetic')\nstage = "
            "pt.irpref.Explain(data.get_qrels(), irpref.RPref(max_rel=3, "
            "unretrieved='infinity'))\n(pt.Transformer.from_df(data.get_results('precise')) >> "
            "stage)(data.get_topics())",
            "Part of the value belongs to documents that the ranking does not hold.",
            "`Explain(..., missed=True)` gives them rows, too.",
        ),
        Kind(
            "--places is ignored when using --output …",
            "$ irpref eval qrels.txt run.txt AP -q --places 2 -o jsonl",
            "An option has no effect here.",
            "Type what the line says.",
        ),
        Kind(
            ("pt.irpref is not available", "irpref cannot be imported: …"),
            "import irpref_pyterrier\nirpref_pyterrier.Unavailable(ImportError('no module named "
            "scipy')).bind",
            "PyTerrier found irpref's entry point, and the package behind it does not import "
            "here; the end of the line says why.",
            "Mend what the end of the line names, often by a fresh environment.",
        ),
    ),
    "Names and parameters of measures": (
        Kind(
            (
                "unknown measure …",
                "compares two rankings, so it is no measure",
                "of trec_eval has no measure here",
            ),
            "irpref.parse('nDGC@10')",
            "Neither irpref nor ir_measures nor trec_eval has a measure of this name "
            "(`irpref.UnknownMeasureError`).",
            "Take the nearest name from the message, or one that `irpref list` prints.",
        ),
        Kind(
            (
                "is not written like a measure",
                "expected the name of a measure, got …",
                "are no name of a measure",
            ),
            "irpref.parse('RPref(3)@10')",
            "This cannot be read as `Name(parameter=value)@cutoff`.",
            "Write it so; parameters have names, and strings stand in quotes or without.",
        ),
        Kind(
            (
                "is given twice",
                "'**' is not accepted",
                "a grade is given twice in",
                "lists are not accepted as values of parameters",
                "expected a number, a word, True, False or a dict",
            ),
            "irpref.parse('RPref(max_rel=3, max_rel=2)')",
            "Values in the text of a measure are single numbers, words, True, False or a dict, "
            "each given once.",
            "Write each parameter once, with such a value.",
        ),
        Kind(
            (
                "names of trec_eval, such as …, take no parameters",
                "takes whole numbers, such as …_10",
            ),
            "irpref.parse('P_10(rel=2)')",
            "trec_eval's names, such as `map` and `ndcg_cut_10`, stand for measures without "
            "further parameters.",
            "Use the name that the message gives, which takes them.",
        ),
        Kind(
            (
                "names … measures",
                "expected measures or their names",
                "expected a measure or its name",
            ),
            "irpref.parse('ndcg_cut')",
            "One name was expected, and this one stands for several measures; or something else "
            "than measures was handed over.",
            "Use `irpref.parse_all`, or pass a list.",
        ),
        Kind(
            ("has no parameter …", "takes its parameters by name"),
            "irpref.RPref(maxrel=3)",
            "The measure does not know this parameter.",
            "Spell it as the message says; `help(irpref.RPref)` has all of them.",
        ),
        Kind(
            (
                "is not accepted, expected …",
                "is not known, expected one of",
                "takes True or False, got",
                "levels must be per cent",
                "fuzziness must be numbers",
                "edges must rise from 0",
                "buckets must be at least 1",
                "jobs=…: expected at least 1",
                "=… is not accepted",
            ),
            "irpref.RPref(norm='relativ')",
            "A parameter of a measure or an argument of a function has a value that it cannot have.",
            "Take one of the values that the message names.",
        ),
        Kind(
            "… needs …: …, ",
            "irpref.NPref.evaluate(QRELS, RUN)",
            "The measure has a parameter without a default.",
            "Give it, as the message shows: `NPref(n=4)`.",
        ),
        Kind(
            ("has a negative gain", "falls as grades rise", "is out of reach of double precision"),
            "irpref.QMeasure(gains={1: 3, 2: 1})",
            "A mapping of grades to gains would reward a lower grade more, or cannot be computed.",
            "Let gains be at least 0 and rise with the grades.",
        ),
        Kind(
            ("is defined by group", "is defined for pairs="),
            "irpref.parse(\"PrefShare(nonrelevant='R')\")",
            "These two parameters do not go together: trec_eval defines no such measure.",
            "Write the combination that the message gives.",
        ),
        Kind(
            (
                "…: the docstring has a section …, expected one of …",
                "…: … in section 'Differs', expected …",
                "…: section 'Parameters' has …",
            ),
            "from irpref.measures.declare import KernelMeasure\nexec('class _M(KernelMeasure):\\n "
            "   '"
            " + repr('M.\\n\\nPitfals\\n-------\\nNone.'))",
            "The docstring of a class of measures declares what pages and help show, in sections "
            "of these names.",
            "Correct the heading or the name, or make it a paragraph of the first part.",
        ),
        Kind(
            "cannot register …: ir_measures already has a measure of this name",
            "from irpref.measures.declare import register\nregister(irpref.QMeasure, name='AP')",
            "Names of measures are one space for all packages.",
            "Choose another name for your measure.",
        ),
    ),
    "What a measure cannot do with these judgments": (
        Kind(
            ("needs the column … of the qrels", "holds one number a topic"),
            "irpref.Coverage.evaluate(QRELS, RUN)",
            "The measure reads more from the judgments than grades.",
            "Add the column: `irpref.with_known(qrels, known)`.",
        ),
        Kind(
            ("must hold one number of at least 1", "expected True or False (or 1 and 0)"),
            "import pandas as pd\nrows = [('q1', 'd1', 1, "
            "'perhaps')]\nirpref.evaluator(['Coverage'], pd.DataFrame(rows, columns=['query_id', "
            "'doc_id', 'relevance', 'known']))",
            "A further column of the judgments holds what the measure cannot read.",
            "Repair the column: truth values for `known`, one number a topic for expected numbers "
            "of documents.",
        ),
        Kind(
            (
                "known must be a mapping",
                "with_known takes either",
                "known and qrels have no topic in common",
            ),
            "irpref.with_known(QRELS, {'t1': ['d1']})",
            "`with_known` marks documents of the judgments as known, from a mapping or file of "
            "topics and documents, or from a run.",
            "Pass one of them, with the topics of the judgments.",
        ),
        Kind(
            ("has no value for … of … topics", "no topic has a value"),
            "known = irpref.with_known(QRELS, {'q1': ['d1'], 'q2': "
            "['d3']})\nirpref.leaderboard([\"Coverage(nothing_known='nan')\"], known, {'a': RUN, "
            "'b': RUN})",
            "The measure has no value for topics in which the user knew nothing relevant, and the "
            "table would compare means over different topics.",
            "Leave these topics out of the judgments, or let them count as 0 (the default).",
        ),
        Kind(
            (
                "is left to ir_measures, which says nothing about its values",
                "is computed by ir_measures alone",
                "is left to its own provider",
                "of the qrels, which arrays do not have",
                "are left to the providers of their measures",
                "left to ir_measures, whose grades",
                "is defined for grades up to",
                "is left to … of ir_measures, whose",
                "ir_measures could not compute …",
            ),
            "irpref.intervals(['IPrec@0.5'], QRELS, RUN, over='ties')",
            "irpref does not compute this measure itself, but hands it to ir_measures, which "
            "takes less: whole grades, say, or no arrays.",
            "Choose a measure that irpref computes (`irpref list` marks them), or bring the "
            "judgments into the form that the message names.",
        ),
        Kind(
            ("no provider that is installed computes …", "the provider … does not compute"),
            "$ irpref eval qrels.txt run.txt --provider gdeval AP",
            "ir_measures hands measures to other packages (providers); the one wanted is not "
            "installed, or does not know the measure.",
            "`irpref list` says what to install: `pip install 'irpref[providers]'` brings most.",
        ),
        Kind(
            ("cannot be explained document by document", "is no sum over documents"),
            "irpref.explain('EMeasure', QRELS, RUN, 'q1')",
            "Only values that are sums of what documents contribute can be split among them.",
            "Explain the measure that the message names.",
        ),
    ),
    "Judgments and runs": (
        Kind(
            (
                "the qrels are empty: there is nothing to judge a run against",
                "the preferences are empty: there is nothing",
            ),
            "irpref.evaluator(['AP'], {})",
            "There is no judgment at all.",
            "Look at what was read: an empty file, a wrong path, a filter that left nothing.",
        ),
        Kind(
            ("have no topic in common",),
            "irpref.evaluator(['AP'], QRELS).calc_aggregate({'t1': {'d1': 1.0}})",
            "The two belong to different collections, or their ids are written differently.",
            "Compare the first ids of both sides, which the message shows; `irpref check` finds "
            "ids that differ in case or white space.",
        ),
        Kind(
            ("the qrels have no topic …", "topic … has no judgments"),
            "$ irpref explain qrels.txt run.txt RPref -t q9",
            "A topic was named that nobody judged.",
            "Name one of those that the message shows.",
        ),
        Kind(
            (
                "the grade of topic …, document … is",
                "the score of topic …, document … is",
                "the level of topic …, document … is",
                "is too large for a double",
                "…[…, …] is …",
                "the value of …, topic … is",
                "of topic …, document … is …, expected a number",
            ),
            "irpref.QMeasure.evaluate(QRELS, {'q1': {'d1': float('nan')}})",
            "A grade, a score or a value is missing (NaN), infinite, or no number.",
            "Remove the document or the judgment, or give it a finite number.",
        ),
        Kind(
            (
                "judges document … twice, as …",
                "holds document … twice, with",
                "Qrels by subtopic look like this",
            ),
            "import ir_measures\nirpref.QMeasure.evaluate([ir_measures.Qrel('q1', 'd1', 1, '0'), "
            "ir_measures.Qrel('q1', 'd1', 2, '0')], RUN)",
            "A document has two different judgments: those of subtopics, of several assessors, or "
            "a mistake.",
            "Reduce them to one a document first; the message has a line of pandas that does it.",
        ),
        Kind(
            "the run holds document … twice",
            "Path('twice.txt').write_text('q1 Q0 d1 1 2 x\\nq1 Q0 d1 2 1 x\\n')\n$ irpref eval "
            "qrels.txt twice.txt AP --strict",
            "`--strict` refuses runs that repeat a document.",
            "Find out why the run repeats it; without `--strict` the last row counts.",
        ),
        Kind(
            "once compared as str",
            "irpref.QMeasure.evaluate(QRELS, {'q1': {'1': 1.0, 1: 2.0}})",
            "Ids are compared as text, and two different objects have the same.",
            "Make the ids text before, so that they stay different.",
        ),
        Kind(
            "an id is missing",
            "import pandas as pd\nrows = [('q1', None, 2.0)]\nirpref.QMeasure.evaluate(QRELS, "
            "pd.DataFrame(rows, columns=['query_id', 'doc_id', 'score']))",
            "A topic or document has no id (None, NaN, null).",
            "Remove the row, or repair the join that made it.",
        ),
        Kind(
            (
                "no column …",
                "expected a header such as",
                "is none of ours, expected one of",
                "has … columns …",
                "two columns have the same name",
                "has no … (found",
                "expected a column …, found",
                "is neither a column of the qrels",
            ),
            "import pandas as pd\nirpref.QMeasure.evaluate(QRELS, pd.DataFrame({'qid': ['q1'], "
            "'doc_id': ['d1'], 'sim': [1.0]}))",
            "A column is missing, or the table has it twice.",
            "Rename the column; ir_measures' and PyTerrier's names are both understood.",
        ),
        Kind(
            (
                "column … holds …, expected numbers",
                "expected text or whole numbers",
                "holds bytes that are not UTF-8",
            ),
            "import pandas as pd\nirpref.QMeasure.evaluate(QRELS, pd.DataFrame({'query_id': "
            "['q1'], 'doc_id': ['d1'], 'score': [pd.Timestamp(0)]}))",
            "The column has another type than its meaning asks for.",
            "Convert it before, and look at what does not convert.",
        ),
        Kind(
            (
                "expected a DataFrame with columns",
                "expected an iterable of namedtuples",
                "expected a dict of dicts",
                "expected a mapping of names to runs",
                "a list holds paths, got",
                "expected a mapping of topic to group",
                "expected a mapping of id to text",
                "the system … retrieves for topics",
                "systems: expected a list of pipelines",
                "topics: expected a frame",
            ),
            "irpref.QMeasure.evaluate(QRELS, 7)",
            "The object is none of the forms that are read.",
            "Hand over one of the forms in the message: frames, dicts, namedtuples, a path, a "
            "data set.",
        ),
        Kind(
            (
                "grades have the shape …, scores …: expected the same",
                "expected numbers of the shape",
            ),
            "irpref.score('AP', [[1, 0]], [[1.0, 2.0, 3.0]])",
            "`irpref.score` takes two arrays with a row for each topic and a column for each "
            "document.",
            "Bring both into one shape; NaN fills rows that are shorter.",
        ),
        Kind(
            (
                "is in group … and in …",
                "expected one group a topic",
                "groups says nothing about …",
                "expected `topic group`",
            ),
            "irpref.leaderboard(['AP'], QRELS, {'a': RUN, 'b': RUN}, groups={'q1': 'easy'})",
            "Each topic of the judgments belongs to exactly one group.",
            "Complete the mapping, the column or the file.",
        ),
    ),
    "Files": (
        Kind(
            ("is none of the labels …", "expected some of …, or the grade of each label"),
            "irpref.read_qrels(file('q1 0 d1 S\\nq1 0 d2 X\\n'), labels='S A B C')",
            "The qrels have labels in place of numbers, and one of them is not among those that "
            "were named.",
            "Pass the grade of each label: `labels={'S': 3, 'A': 2, 'X': 0}`, or `--labels "
            "S=3,A=2,X=0`.",
        ),
        Kind(
            "a number has too many digits",
            "Path('long.json').write_text('{\"q1\": {\"d1\": ' + '1' * 5000 + "
            "'}}')\nirpref.read_run('long.json')",
            "Python does not read whole numbers of thousands of digits.",
            "Look at what wrote the file.",
        ),
        Kind(
            ("no such file", "no run is called …", "no results … in"),
            "$ irpref eval qrels.txt missing.txt AP",
            "There is no file of this name, and no shipped or public data set either; or no run "
            "of this name among those given.",
            "Look at the path, and at the folder from which the command is started.",
        ),
        Kind(
            (
                "field…, expected",
                "line …: …: …",
                "longer than … MB",
                "the … is no number",
                "the … is missing",
                "the … is not UTF-8",
            ),
            "Path('run.txt').write_text('q1 Q0 d1 1 2.5 x\\nq1 Q0 d2 "
            "two\\n')\nirpref.read_run('run.txt')",
            "A line of the file is not of the form of the others. Nothing is skipped.",
            "Repair the line; the message says what was expected there, and what the line looks "
            "like.",
        ),
        Kind(
            (
                "this looks like a run",
                "this looks like judgments",
                "this looks like qrels",
                "this looks like topics",
                "this looks like preferences",
                "are read as form 'msmarco'",
            ),
            "$ irpref eval run.txt qrels.txt AP",
            "The two files were given in the wrong order, or have another form than usual.",
            "Judgments come first; name the form (`--format`) where it cannot be seen.",
        ),
        Kind(
            (
                "this is not UTF-8",
                "is UTF-16 text, expected UTF-8",
                "holds half of a surrogate pair",
            ),
            "Path('run.txt').write_bytes('q1 Q0 d1 1 2.5 "
            "x'.encode('utf-16'))\nirpref.read_run('run.txt')",
            "The file holds text in another encoding.",
            "Convert it: `iconv -f UTF-16 -t UTF-8 run.txt`.",
        ),
        Kind(
            (
                "the compressed data is damaged",
                "what follows the compressed data is none",
                "the file ends before its compressed data does",
                "is a file of …, expected plain text, gzip or zstd",
            ),
            "Path('run.gz').write_bytes(b'\\x1f\\x8b\\x08\\x00cut off')\nirpref.read_run('run.gz')",
            "The file was cut off or changed on its way, or is packed by a program that is not "
            "read.",
            "Get it again, or unpack it first.",
        ),
        Kind(
            (
                "this is no … file, or it is damaged",
                "the file is empty, expected a header",
                "a folder without .parquet files",
            ),
            "Path('run.parquet').write_bytes(b'PAR1')\nirpref.read_run('run.parquet')",
            "What the ending of the name promises is not in the file.",
            "Look at what wrote it, or give the file the ending of its form.",
        ),
        Kind(
            (
                "this is no JSON",
                "is twice in one object",
                "is nested too deeply",
                "expected topic -> document -> number",
                "expected document -> number",
                "expected an object with",
                "expected text or a whole number",
                "the … is …, expected a number",
                "or a JSON record with id and text",
            ),
            "Path('run.json').write_text('{\"q1\": [\"d1\", \"d2\"]}')\nirpref.read_run('run.json')",
            "The JSON is malformed, or holds something else than topics with documents with "
            "numbers.",
            'Write it as ranx and pytrec_eval do: `{"q1": {"d1": 2.0}}`; JSON lines have an '
            "object with topic, document, number each.",
        ),
        Kind(
            ("the rank of topic …, document … is", "is in more than one place"),
            "Path('ranks.txt').write_text('q1 d1 0.83\\n')\nirpref.read_run('ranks.txt', "
            "form='msmarco')",
            "Runs of MS MARCO's form hold ranks; files that are read topic by topic hold each "
            "topic in one piece.",
            "Leave the form away if the numbers are scores; sort the file by topic.",
        ),
        Kind(
            (
                "is open as text, expected a path or a binary file",
                "expected a path or a binary file, got",
                "standard input is closed",
                "the stream has no data yet",
            ),
            "with open('run.txt') as file:\n    irpref.read_run(file)",
            "Files are read as bytes, from a path, a binary file or standard input.",
            "Pass the path, or open the file with mode `'rb'`.",
        ),
        Kind(
            (
                "is preferred to …, and …",
                "the preferences go in a circle",
                "is preferred to itself",
                "These are preferences",
                "put a document on several levels",
                "preferences: …",
            ),
            "Path('p.txt').write_text('q1 a b ann\\nq1 b a "
            "ann\\n')\nirpref.read_preferences('p.txt')",
            "Preferences contradict each other within a judge, or are handed to a measure of "
            "grades.",
            "Ask the judge again, or give judges who may disagree names of their own; for "
            "preferences take `PrefShare`, `PrefAP` and their kin.",
        ),
        Kind(
            (
                "cannot be written: the form has white space between its fields",
                "has several subgroups, which the form",
            ),
            "import pandas as pd\nrows = pd.DataFrame([('q1', 'ann', '1', 'a b', 1)], "
            "columns=['query_id', 'group', 'subgroup', 'doc_id', "
            "'relevance'])\nirpref.write_preferences(rows, 'p.txt')",
            "The form of the file cannot hold this.",
            "Write the other form, or ids without blanks.",
        ),
        Kind(
            "holds something else than results of incompleteness",
            "Path('found.csv').write_text('measure,mean\\nAP,0.25\\n')\nirpref.meta.incompleteness(['AP'], QRELS, {'a': RUN, 'b': RUN}, levels=(50,), n_samples=1, rng=1, output='found.csv')",
            "The file of results was written by something else.",
            "Name another file.",
        ),
    ),
    "Data sets, and packages that are missing": (
        Kind(
            (
                "ir_datasets has no data set",
                "the ir_datasets data set … has no",
                "the data set … has no",
                "ir_datasets could not load it",
            ),
            "irpref.evaluator(['AP'], 'irpref:no-such-thing')",
            "The name is none of ir_datasets', the data set lacks what is wanted, or it could not "
            "be downloaded.",
            "Take the nearest name from the message; without a network, give files.",
        ),
        Kind(
            (
                "no example …",
                "example … has no run",
                "example … has … curves",
                "has one set of …, no variant",
            ),
            "from irpref.datasets import load\nload('synthetical')",
            "The package ships few examples.",
            "Take one of those that the message names.",
        ),
        Kind(
            (
                "need the package: pip install",
                "pictures need matplotlib",
                "a report needs … pip install",
                "Parquet needs pyarrow",
                "irpref.spark needs PySpark",
                "module … has no attribute …",
            ),
            "irpref.no_such_function",
            "An extra is not installed, or the package has no such function.",
            "Install what the message names: `pip install 'irpref[all]'` brings all but Spark.",
        ),
    ),
    "The command line": (
        Kind(
            ("unknown command …", "no command given: did you mean", "comes after the command"),
            "$ irpref evaluate qrels.txt run.txt AP",
            "The first word is none of the commands, or an option stands before it.",
            "Type the nearest one, and options after it; `irpref --help` lists all.",
        ),
        Kind(
            (
                "unrecognized arguments: …",
                "(see … --help)",
            ),
            "$ irpref eval qrels.txt run.txt AP --plases 2",
            "An option is not known to this command, or has a value that it cannot have.",
            "`irpref COMMAND --help` lists them.",
        ),
        Kind(
            (
                "is neither a file nor a measure",
                "is both a file and a measure",
                "put quotes around the name of a file with spaces",
                "is a measure; the order is QRELS RUN... MEASURE...",
                "no run given",
                "no measure given",
                "expected … after the qrels, got",
                "an argument is empty",
                "is given twice, expected different runs",
                "there are no judgments: give",
                "there are no runs",
                "needs at least two runs, and a measure",
            ),
            "$ irpref eval qrels.txt run.txt ndcg10",
            "Arguments are files first (judgments, then runs), then measures; one of them is "
            "neither, or is missing.",
            "Look at the spelling; write `./NAME` for a file and `-m NAME` for a measure where a "
            "name is both.",
        ),
        Kind(
            ("no such module", "cannot be imported", "is the name of another measure already"),
            "$ irpref eval qrels.txt run.txt AP --import nowhere.py",
            "`--import` takes a module with measures, here or installed; this one is not there, "
            "fails, or names a measure "
            "as another is named.",
            "Give its file, such as `--import mine.py`, and try `python mine.py`.",
        ),
        Kind(
            "standard input ('-') can be read once only",
            "$ irpref eval - - AP",
            "Two arguments ask for standard input.",
            "Give one of them as a file.",
        ),
        Kind(
            (
                "expected one measure, ",
                "this picture is of",
                "one topic is explained: give -t ID",
                "one topic is drawn: give -t ID",
                "name the file to write, such as -f",
                "the name of the picture must end in",
                "tables are not written as …, but as …",
                "the page is HTML, its name ends in .html",
            ),
            "$ irpref explain qrels.txt run.txt -t q1 AP RPref",
            "The command needs one measure, a topic, a file to write to, or another option beside "
            "these arguments.",
            "Give what the message names, as it is written there.",
        ),
        Kind(
            (
                ": expected a number",
                "…: expected …",
                ": expected a number of decimal places",
            ),
            "$ irpref curve gain qrels.txt run.txt --gains 1-3",
            "The value of an option cannot be read.",
            "Write it as in the message.",
        ),
        Kind(
            (
                "needs --by-query",
                "need --baseline RUN",
                "--baseline needs another run",
                "two tables: choose one",
                "does not go with --intervals and --needed",
                "expected NAME=VALUE, several separated by commas",
                "is for --loss",
                "--rel is not for a measure of your own",
                "--judge-next: …",
                "this file is read, and would be lost",
            ),
            "$ irpref eval qrels.txt run.txt AP --pairs holm",
            "An option makes sense only together with another one, or not together with this one.",
            "Add or leave away the option that the message names.",
        ),
    ),
    "An LLM's grades beside human ones": (
        Kind(
            "the judge's grades say nothing about the human ones",
            "irpref.fill({'q1': {'d1': 2, 'd2': 0, 'd3': 1}}, {'q1': {'d1': 0, 'd2': 2, 'd3': 1, "
            "'d4': 1}})",
            "Over the documents that both graded, a higher grade of the judge does not go with a "
            "higher human grade: the files do not belong together, the scale runs the other way, "
            "or the judge is of no use here.",
            "Look at both files; turn the judge's scale round, or do without this judge.",
        ),
        Kind(
            (
                "no document has a grade of the judge and a human one",
                "topics with human grades lack the judge's",
            ),
            "irpref.fill({'q1': {'d1': 1}}, {'q1': {'d2': 1}})",
            "What the judge's grades mean is learnt from documents that humans graded, too, and "
            "there are none in common (or whole topics are missing).",
            "Let the judge grade the documents that humans judged, too, and compare the ids of "
            "both files.",
        ),
        Kind(
            "mean grades seldom reach rel=…",
            "irpref.intervals(['AP(rel=2)'], {'q1': {'d1': 2, 'd2': 0, 'd3': 1}}, RUN, "
            "'unjudged', judge={'q1': {'d1': 1, 'd2': 0, 'd3': 1, 'd9': 1}})",
            "A filled grade is a mean, and lies below a high threshold even if the document is "
            "likely relevant.",
            "Take a measure without `rel`, or read the interval as a rough one.",
        ),
        Kind(
            "is left to another provider, which takes no fractional grades",
            "irpref.intervals(['infAP'], QRELS, RUN, 'unjudged', judge=QRELS)",
            "Filled grades are means, and only measures that irpref computes take them.",
            "Take a measure of `irpref list`, `nDCG` or `AP` for one.",
        ),
    ),
    "Leaderboards, curves and other analyses": (
        Kind(
            (
                "at least 2 topics",
                "a residual variance needs at least 2",
                "the systems differ by the same on every topic",
                "is too small for a variance of",
                "at least one measure",
                "at least one run",
                "at least one judge",
                "there is no measure to evaluate",
                "there are no measures to evaluate",
                "there are no runs to evaluate",
                "a test needs samples of at least 2 topics",
                "names no number of partitions",
                "there is no run to compare with the baseline",
                "a gate needs relevant documents",
            ),
            "irpref.leaderboard(['AP'], {'q1': QRELS['q1']}, {'a': RUN, 'b': RUN})",
            "There is too little to compute from: no measure, no run, no relevant document, or "
            "one topic, of which nobody knows how it varies.",
            "Give more; a single topic has no interval.",
        ),
        Kind(
            (
                "compares runs",
                "compare needs two systems",
                "which needs at least 2 runs",
                "compare needs two systems, got",
                "which needs at least 3 runs and",
                "pairs of systems need at least 2 systems",
            ),
            "irpref.leaderboard(['AP'], QRELS, {'only': RUN})",
            "Comparing needs two runs.",
            "Give at least two, or `pairs='none'` for a leaderboard without comparisons.",
        ),
        Kind(
            (
                "is none of the runs: …",
                "the judgments have changed: expected",
                "highlight=… is none of the runs",
                "is not on this board",
                "no … … in the table",
                "no … … (there are …",
            ),
            "irpref.lab.meta.topic_values(['AP'], QRELS, {'a': RUN})['AP'].select(['b'])",
            "A run, a measure or a topic was named that is not there.",
            "Take one of those that the message lists.",
        ),
        Kind(
            ("says nothing about over=", "is for how='rpp'", "is for loss="),
            "irpref.intervals(['AP'], QRELS, RUN, over='ties', grades=[0, 1])",
            "An argument belongs to another kind of analysis than the one asked for.",
            "Leave it away, or change the other argument as the message says.",
        ),
        Kind(
            (
                "unjudged documents are given grades",
                "is negative, which means unjudged",
                "too many grades to try them all",
            ),
            "irpref.intervals(['nDCG'], {'q1': {'d1': 5000, 'd2': 0}}, {'q1': {'d3': 1.0}}, "
            "over='unjudged')",
            "Bounds try the grades that an unjudged document could have, which must be few and "
            "known.",
            "Name them: `grades=[0, 1, 2]`.",
        ),
        Kind(
            (
                "samples must be topic numbers",
                "samples hold topic numbers",
                "must have as many samples",
            ),
            "irpref.lab.meta.stability(irpref.lab.meta.TopicValues('mine', ['a', 'b'], ['q1'], "
            "[[1.0], [0.5]]), samples=[[0, 1]])",
            "A sample is a list of topic numbers, from 0 to the number of topics less 1.",
            "Pass samples of topics that exist, or a seed: `rng=7`.",
        ),
        Kind(
            (
                "has two values for topic",
                "has no value for topic",
                "need values of the shape",
                "one value a topic of each system",
                "is there twice",
                "rank different systems",
                "expected one of each system in both",
            ),
            "irpref.lab.meta.TopicValues('mine', ['a', 'b'], ['q1'], [[1.0]])",
            "A matrix of values has a row for each system and a column for each topic, all of "
            "them filled in.",
            "Complete it; `missing=0` stands for topics without results, where that is meant.",
        ),
        Kind(
            (
                "expected values of one measure",
                "the results hold …",
                "the table holds …",
                "say which measure",
                "say the baseline",
                "the picture is of",
            ),
            "import pandas as pd\nrows = [('a', 'q1', m, 0.5) for m in ('AP', "
            "'P@5')]\nirpref.meta.TopicValues.from_frame(pd.DataFrame(rows, columns=['name', "
            "'qid', 'measure', 'value']))",
            "There are several measures, runs or topics where one was expected.",
            "Say which: `measure=`, `run=`, `query_id=`, as the message has it.",
        ),
        Kind(
            (
                "expected what pt.Experiment returns",
                "expected the table of irpref.curves",
                "the table of irpref.curves.… is empty",
                "expected irpref.lab.meta.TopicValues",
                "names: expected … different names",
            ),
            "import pandas as pd\nimport pyterrier as pt\npt.irpref.table(pd.DataFrame({'AP': "
            "[0.5]}))",
            "A function that reads the table of another one was given something else.",
            "Hand over that table, with its columns as they were.",
        ),
        Kind(
            (
                "align the run with ties=True",
                "each field can be read, and the column cannot",
                "has the fields …",
            ),
            "from dataclasses import dataclass\n@dataclass\nclass Pair:\n    left: "
            "int\nPair(right=1)",
            "Only who works on the package itself meets these: a function inside was called in a "
            "wrong way.",
            "If you did not call it, please report it, with the input.",
        ),
    ),
}


def happened(code: str) -> list[str]:
    """What a piece of code says: its warnings, and its error, each with its class."""
    import irpref

    @contextlib.contextmanager
    def elsewhere() -> Iterator[None]:
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                yield
            finally:
                os.chdir(before)

    space = {
        "irpref": irpref,
        "QRELS": QRELS,
        "RUN": RUN,
        "Path": Path,
        "file": lambda text: io.BytesIO(text.encode()),
    }
    python = [line for line in code.splitlines() if not line.startswith("$ ")]
    commands = [line[2:] for line in code.splitlines() if line.startswith("$ ")]
    said: list[str] = []
    out, error = io.StringIO(), io.StringIO()
    with elsewhere(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        _write("qrels.txt", QRELS, "{q} 0 {d} {value}\n")
        _write("run.txt", RUN, "{q} Q0 {d} 0 {value} run\n")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile("\n".join(python), "troubles", "exec"), space)
            except Exception as found:
                said.append(
                    f"{type(found).__name__}: "
                    f"{found.args[-1] if isinstance(found, KeyError) else found}"
                )
        for command in commands:
            from irpref.cli import main

            main(shlex.split(command)[1:])
    warned = [f"{w.category.__name__}: {w.message}" for w in caught]
    return warned + said + error.getvalue().splitlines()


def _write(path: str, of: dict[str, dict[str, float]], line: str) -> None:
    text = "".join(
        line.format(q=q, d=d, value=value) for q, docs in of.items() for d, value in docs.items()
    )
    Path(path).write_text(text, encoding="utf-8")


def sections() -> list[str]:
    """All kinds, as Markdown."""
    lines: list[str] = []
    for heading, kinds in KINDS.items():
        lines += [f"## {heading}", ""]
        for kind in kinds:
            message = next((text for text in happened(kind.code) if kind.fits(text)), None)
            if message is None:
                raise ValueError(f"{kind.code}: says {happened(kind.code)}, not {kind.words}")
            first, *others = (f"`{words.strip()}`" for words in kind.spellings())
            lines += [
                f"### {first}",
                "",
                f"```{{code-block}} text\n:class: wrapped\n{message}\n```",
                "",
                f"{kind.means} **{kind.remedy}**",
                "",
            ]
            if others:
                lines += [f"So also {', '.join(others)}.", ""]
    return lines
