"""Codes about a run, and about a run beside others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from ir_measures.measures import Measure

from irpref.kernel.segments import Bools, Floats
from irpref.measures.declare import rises
from irpref.observed.changed_ids import MOST
from irpref.observed.finding import EVERY_USE, Code, Found, Level, View, nothing
from irpref.observed.judgment_codes import TOPIC_WITHOUT_ID
from irpref.observed.observation import NO_IDS, SEVERAL, any_of, most_changed
from irpref.observed.orders import surely_above
from irpref.observed.sensitivity import TOP, limits_of

_MANY_UNJUDGED, _SOME_UNJUDGED = 0.2, 0.05  # shares of unjudged documents at the top
_HARDLY = 0.2  # share of the other run's share of judged documents
_BY_FAR = 1.5  # value of a run read from the end over its own, if it is upside down
_SHOWN = 3  # tags
SEVERAL_TOPICS = 3


INVALID_RUN = Code("invalid-run", "run", nothing, "{run} cannot be evaluated: {error}", "grave")


def _unanswered(view: View) -> Found | None:
    facts, system = view.facts, view.system
    which = facts.unanswered(view.measure)[view.run]
    if not which.any():
        return None
    here = which & view.inside
    if system.is_absent and (system.retrieved == 0).all():
        further = next((one.further for one in system.observed if one.further), ())
        said = "{run} has no topic in common with the judgments"
        if further:
            said += ": its first topic is {given!r}, that of the judgments {judged!r}"
        words = {"given": further[0] if further else "", "judged": facts.pool.topic_ids[0]}
        return Found(which, words=words, says=said, example=further[0] if further else None)
    if (system.retrieved[here] == 0).all():
        return Found(which, words={"so": facts.so(system, int(here.sum()))})
    return Found(which, says="{run} has no documents, or no value by {measure}, for {some}")


def too_many_unanswered(view: View, lacks: str = "no documents") -> Found | None:
    """Find topics that the baseline does not answer, or on which a run has no value.

    Parameters
    ----------
    view : View
    lacks : str
        The words for what a run has on a topic that it does not answer.
    """
    facts, measure, baseline = view.of_verdict()
    answerable = facts.answerable & view.inside
    no_value = np.isnan(facts.values(measure)).any(axis=0)
    unanswered = facts.unanswered(measure)[baseline]
    lost = unanswered & ~no_value & answerable
    n, parts = f"{int(answerable.sum()):,}", []
    if lost.any():
        parts.append(f"{view.system.name} has {lacks} for {int(lost.sum()):,} of {n} topics")
    if (no_value & answerable).any():
        number = f"{int((no_value & answerable).sum()):,}"
        parts.append(f"{view.called or measure} has no value for {number} of {n} topics")
    words = {"parts": ", and ".join(parts)}
    return Found(unanswered | no_value, facts.answerable, words, says="{parts}")


UNANSWERED = Code(
    "unanswered",
    "run",
    _unanswered,
    "{run} has no documents for {some}; {so}",
    "grave",
    by_measure=True,
    against=EVERY_USE,
    stops=too_many_unanswered,
    of_both=True,
    never_hides=True,
    of_many="do not answer",
)


def _unseen_run(view: View) -> Found | None:
    system = view.system
    if not system.is_absent or not (system.retrieved > 0).any():
        return None
    n = int(system.lengths.max(axis=0).sum())
    said = None
    if n == 1:
        said = "the only document of {run} is not judged: every value is 0 or meaningless"
    return Found(system.retrieved > 0, words={"n": n}, says=said, count=n)


UNSEEN_RUN = Code(
    "unseen",
    "run",
    _unseen_run,
    "none of the {n:,} documents of {run} is judged: every value is 0 or meaningless",
    "grave",
)


def _changed_ids(view: View) -> Iterator[Found]:
    facts, observed = view.facts, view.system.observed
    topics = most_changed(one.changed_topics for one in observed)
    if topics is not None:
        given, judged = topics.texts
        words: dict[str, Any] = {"change": topics.change.words, "given": given, "judged": judged}
        words["compared"] = _compared(topics.compared)
        n = topics.number
        said = "{n} of {compared} unjudged topics of {run} differ from judged ones only {change}, "
        said += "such as {given} for {judged}: they are left out"
        if n == 1:
            said = (
                "an unjudged topic of {run} differs from a judged one only {change}: {given} for "
            )
            said += "{judged}; it is left out"
        words["n"] = n
        yield Found(facts.none, words=words, says=said, count=n, example=topics.name)
    docs = view.system.changed
    if docs is not None:
        given, judged = docs.texts
        words = {"change": docs.change.words, "given": given, "judged": judged}
        n = docs.number
        yield Found(facts.mask_of(docs.groups), words=words, count=n, example=docs.name)


def _compared(n: int) -> str:
    return "a sample of " * (n == MOST) + f"{n:,}"


def _too_many_changed(view: View) -> Found | None:
    docs = view.system.changed
    if docs is None:
        return None
    given, judged = docs.texts
    words = {"change": docs.change.words, "given": given, "judged": judged}
    return Found(view.facts.mask_of(docs.groups), view.facts.answerable, words)


CHANGED_IDS = Code(
    "changed-ids",
    "run",
    _changed_ids,
    "{run} has document ids that differ from judged ones only {change} for {some}, such as "
    "{given} for {judged}: they count as unjudged",
    "grave",
    against=EVERY_USE,
    stops=_too_many_changed,
    instead_of=("unseen", "unjudged", "wide-margin"),
    of_many="have changed ids for",
)


def _other_topic(view: View) -> Found | None:
    """Find topics whose first documents are judged for another topic rather than their own."""
    facts, observed = view.facts, view.system.observed
    strayed = np.max([one.strayed for one in observed], axis=0)
    here = np.flatnonzero((strayed >= 0) & view.inside)
    if not here.size:
        return None
    told = view.system.lengths.max(axis=0) > 0
    topic, other = (facts.topics[number] for number in (here[0], strayed[here[0]]))
    many = here.size >= max(SEVERAL_TOPICS, view.missing * (told & view.inside).sum())
    words = {"topic": topic, "other": other}
    return Found(strayed >= 0, told, words, level="grave" if many else "note", example=topic)


def _too_many_strayed(view: View) -> Found | None:
    found = _other_topic(view)
    return found if found and (found.topics & view.inside).sum() >= SEVERAL_TOPICS else None


OTHER_TOPIC = Code(
    "other-topic",
    "run",
    _other_topic,
    "{run}: in {some}, at least three more of the first ten documents are judged for one other "
    "topic than for the topic itself, such as {other!r} in place of {topic!r}: have topics been "
    "shifted, or lists copied?",
    "grave",
    against=frozenset({"pass", "claim"}),
    stops=_too_many_strayed,
    instead_of=("unseen", "unjudged", "wide-margin"),
)


def _shallow(view: View) -> Found | None:
    facts = view.facts
    assert view.run is not None
    which = facts.shallow(view.measure)[view.run]
    return _as_shallow(view, which) if (which & view.inside).any() else None


def _too_shallow(view: View) -> Found | None:
    """Find shallow topics whose value more documents could change."""
    facts, measure, baseline = view.of_verdict()
    which = facts.too_shallow(measure)[baseline]
    if not (which & view.inside & facts.answerable).any():
        return None
    return _as_shallow(view, which & facts.answerable)


def _as_shallow(view: View, which: Bools) -> Found:
    lengths = view.system.retrieved[which & view.inside]
    low, high = int(lengths.min()), int(lengths.max())
    size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    cutoff = None if view.measure is None else view.facts.looks_at(view.measure)
    words: dict[str, Any] = {"size": size + " document" + "s" * (high > 1), "cutoff": cutoff}
    said = None
    if cutoff is None:
        said = "{run} has {size} for {some}, fewer than half as many as another run"
        if view.measure is not None:
            said += ", and {measure} looks at all ranks"
    few = (which & view.inside).sum() <= view.missing * view.inside.sum()
    return Found(which, view.facts.answerable, words, said, "note" if few else "warning")


SHALLOW = Code(
    "shallow",
    "run",
    _shallow,
    "{run} has {size} for {some}, and {measure} looks at the first {cutoff:,}",
    by_measure=True,
    against=EVERY_USE,
    stops=_too_shallow,
    needs_pair=True,
    of_many="are shallow on",
)


def _further_topics(view: View) -> Found | None:
    further = [topic for one in view.system.observed for topic in one.further]
    if not further or not view.system.retrieved.any():
        return None
    return Found(view.facts.none, count=len(further), example=further[0])


UNJUDGED_TOPICS = Code(
    "unjudged-topics",
    "run",
    _further_topics,
    "no judgments for {n} topic{s} of {run}, first {first!r}: left out",
    "note",
)


def _repeats(view: View) -> Iterator[Found]:
    for one in view.system.observed:
        if one.repeats.first:
            topic, doc = one.repeats.first
            n = one.repeats.number
            words = {"topic": topic, "n": n}
            said = None
            if one.repeats.rescored:
                said = REPEATS.says + "; in {some}, scores differ"
            topics = view.facts.mask_of(one.repeats.rescored or [topic])
            yield Found(topics, words=words, says=said, count=n, example=doc)


def _too_many_rescored(view: View) -> Found | None:
    """Find the run of a pair that has repeated documents with several scores on more topics."""
    return _of_either(view, _rescored)


def _rescored(view: View) -> Found | None:
    names = [topic for one in view.system.observed for topic in one.repeats.rescored]
    says = "{run} has documents twice, with different scores, in {some}: are these several runs in "
    says += "one file? If not, say with {remedy} which row counts"
    return Found(view.facts.mask_of(names), view.system.retrieved > 0, says=says)


def _of_either(view: View, find: Callable[[View], Found | None]) -> Found | None:
    """Choose the finding of one run of a pair that has it on more topics than the other."""
    best, most = None, 0
    for run in (view.run, view.other):
        found = None if run is None else find(replace(view, run=run))
        if run is None or found is None:
            continue
        n = int((found.topics & view.inside).sum())
        if n > most:
            words = {"run": view.facts.systems[run].name, **found.words}
            best, most = replace(found, words=words), n
    return best


REPEATS = Code(
    "repeats",
    "run",
    _repeats,
    "{n} document{s} of {run} occur{verb_s} twice in a topic, first {first!r} in topic {topic!r}; "
    "the last row counts",
    against=frozenset({"pass"}),
    stops=_too_many_rescored,
    remedy="repeats",
)


def _own_topic(view: View) -> Found | None:
    facts, system = view.facts, view.system
    own = system.own
    if not own.any():
        return None
    # Topics for which another run has documents, and leaves this one out.
    differs = any((own & ~other.own & (other.retrieved > 0)).any() for other in facts.systems)
    said = _OWN + ", and other runs leave such documents out, which alone makes runs differ: "
    said += "{remedy} leaves them out of all runs"
    return Found(own, says=said, level="grave") if differs else Found(own)


_OWN = "{run} has documents with the id of their topic in {some}"
OWN_TOPIC = Code(
    "own-topic",
    "run",
    _own_topic,
    _OWN + ": if the queries are documents of the collection, {remedy} leaves them out of all runs",
    remedy="ignore_self",
)


def _ranks(view: View, name: str) -> Bools:
    notes = [one.ranks for one in view.system.observed if one.ranks is not None]
    return np.any([getattr(one, name) for one in notes], axis=0) if notes else view.facts.none


def _ranks_restart(view: View) -> Found:
    return Found(_ranks(view, "restarts"))


RANKS_RESTART = Code(
    "ranks-restart",
    "run",
    _ranks_restart,
    "{run}: the best rank is given twice in {some}: are these several rankings in one?",
)


def _begins_late(view: View) -> Found | None:
    """Detect that the best rank is the same one above 1 in most topics: the first rows are lost."""
    for one in view.system.observed:
        if one.ranks is None or one.how.selects_rows:  # rows may have been left out on purpose
            continue
        best = one.ranks.best
        known = np.isfinite(best) & (one.lengths > 0)
        ranks, counts = np.unique(best[known & view.inside], return_counts=True)
        if not ranks.size or counts.sum() < SEVERAL_TOPICS:
            continue
        usual, n = float(ranks[counts.argmax()]), int(counts.max())
        if usual > 1 and 2 * n > counts.sum():
            return Found(known & (best == usual), known, {"rank": f"{usual:g}"})
    return None


def _pair_begins_late(view: View) -> Found | None:
    """Detect that the ranks of one run begin late, unless the other's begin at the same rank: both
    then leave something out on purpose, such as queries that are documents.
    """
    found = _of_either(view, _begins_late)
    if found is None or view.other is None:
        return found
    both = [_begins_late(replace(view, run=run)) for run in (view.run, view.other)]
    first, second = (None if one is None else one.words["rank"] for one in both)
    return None if first == second else found


RANKS_BEGIN_LATE = Code(
    "ranks-begin-late",
    "run",
    _begins_late,
    "{run}: ranks begin at {rank} in {some}: have the first documents been lost?",
    against=frozenset({"pass"}),
    stops=_pair_begins_late,
    remedy="exclude",
)


def _upside_down(view: View) -> Found | None:
    facts = view.facts
    if (rising := _rising(view)) is not None:
        return rising
    measures = facts.measures if view.measure is None else [view.measure]
    for measure in measures:
        if _is_better_backwards(view, measure):
            words = {"measure": str(measure)}
            said = "{run}: read from the end, it is better by {measure}: are its scores distances?"
            return Found(view.inside & facts.answerable, words=words, says=said)
    usable = ~_ranks(view, "restarts")
    disagrees = usable & _ranks(view, "rise")
    if not disagrees.any():
        return None
    said = "{run}: ranks contradict the scores in {some}: measures rank documents by score"
    return Found(disagrees, says=said, level="note")


def _rising(view: View) -> Found | None:
    """Find topics in which the scores rise at every step of the rank column, if these are too
    many.

    With three to five documents, a re-ranker that keeps the ranks of its first stage may turn a
    whole topic round, so that only more than half of such topics count.
    """
    rises = _ranks(view, "always_rise") & ~_ranks(view, "restarts")
    for some, share in (("several", view.missing), ("few", 0.5)):
        told = _ranks(view, some)
        if (rises & told).sum() > share * told.sum():
            return Found(rises & told, told)
    return None


def _is_better_backwards(view: View, measure: Measure) -> bool:
    """Test whether the run, or one of several, has surely and by far better values by a measure if
    it is read from the end, over topics with several documents: the order of two or three may well
    be wrong. Topics whose scores are all equal say nothing of their direction.

    A run that was made diverse may be a little better from its end: its first documents are
    unjudged.
    """
    system = view.system
    if measure not in system.backwards:
        return False
    inside = view.facts.answerable & (system.retrieved >= SEVERAL)
    ways = system.backwards[measure], system.values[measure]
    if not rises(measure):
        _, worst = limits_of(measure)
        # By far is measured in what is gained: E = 1 - F, as F.
        ways = (worst - ways[0], worst - ways[1]) if np.isfinite(worst) else ways[::-1]
    for one, high, low in zip(system.observed, *ways, strict=True):
        told = inside & ~one.equal
        if not told.any():
            continue
        if _mean(high[told]) >= _BY_FAR * _mean(low[told]) and surely_above(high, low, told):
            return True
    return False


def _mean(values: Floats) -> float:
    """Average the topics that have a value; 0 if none has."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else 0.0


def _surely_upside_down(view: View) -> Found | None:
    found = _upside_down(view)
    if found is None or found.level == "note":
        return None
    return Found(view.inside, None, found.words, found.says)


UPSIDE_DOWN = Code(
    "upside-down",
    "run",
    _upside_down,
    "{run}: scores rise from rank to rank in {some}: the rank column is the reverse of the order "
    "by score, which measures use; if the scores are distances, read them with {remedy}",
    "grave",
    against=frozenset({"pass", "claim"}),
    stops=_surely_upside_down,
    remedy="lower_is_better",
)


def _several_tags(view: View) -> Iterator[Found]:
    for one in view.system.observed:
        if not one.tags:
            continue
        n = len(one.tags)
        listed = ", ".join(map(repr, one.tags[:_SHOWN])) + ", ..." * (n > _SHOWN)
        words = {"tags": listed, "n": n}
        if one.mixed_tags.any():
            yield Found(one.mixed_tags, words=words, count=n)
        else:
            said = "the topics of {run} have {n} different tags ({tags}): was it put together from "
            said += "several runs?"
            first = one.tags[0]
            yield Found(view.inside, words=words, says=said, level="note", count=n, example=first)


SEVERAL_TAGS = Code(
    "several-tags",
    "run",
    _several_tags,
    "{run}: rows of one topic have several tags ({tags}) in {some}: are these {n} runs in one "
    "file?",
)


def _missing_ids(view: View) -> Iterator[Found]:
    for one in view.system.observed:
        if one.nothing.any():
            yield Found(one.nothing, words={"doc": one.no_id})
        for topic in one.further:
            if topic in NO_IDS:
                yield Found(
                    view.facts.none, says="{run}: " + TOPIC_WITHOUT_ID, count=1, example=topic
                )


MISSING_IDS = Code(
    "missing-ids",
    "run",
    _missing_ids,
    "{run}: the id of a document is {doc!r} in {some}: as if the file had been written without ids",
)


def _unjudged(view: View) -> Found | None:
    system = view.system
    top, judged = (
        sum(getattr(one, name) for one in system.observed) for name in ("top", "judged_top")
    )
    unjudged = np.asarray(top) - np.asarray(judged)
    total = int(np.sum(top))
    if system.is_absent or not total or unjudged.sum() < _SOME_UNJUDGED * total:
        return None
    share = unjudged.sum() / total
    level: Level = "warning" if share >= _MANY_UNJUDGED else "note"
    first = view.facts.topics[int(unjudged.argmax())]
    words = {"share": share, "top": TOP}
    return Found(unjudged > 0, words=words, level=level, count=int(unjudged.sum()), example=first)


def _hardly_judged(view: View) -> Found | None:
    """Detect that the first ten of the baseline are judged to a small part of the other run's
    share.
    """
    facts, measure, baseline = view.of_verdict()
    if not (facts.pool.grade == 0).any():
        return None  # only relevant documents are judged: a better run has more of them
    kept = facts.compared(measure, baseline, view.inside)
    low, high = (system.judged_share(kept) for system in (view.system, view.beside))
    if low >= _HARDLY * high:
        return None
    words = {"low": f"{100 * low:.0f} %", "high": f"{100 * high:.0f} %"}
    words["other"] = view.beside.name
    said = "{low} of the first ten documents of {run} are judged, and {high} of those of {other}"
    return Found(kept, words=words, says=said)


UNJUDGED = Code(
    "unjudged",
    "run",
    _unjudged,
    "{run}: {share:.0%} of the first {top} documents of a topic are unjudged; see intervals over "
    "unjudged documents",
    "note",
    against=frozenset({"pass", "claim"}),
    stops=_hardly_judged,
    needs_pair=True,
)


def _uneven_depth(view: View) -> Found | None:
    lengths = view.system.retrieved
    known = lengths[lengths > 0]
    if not known.size:
        return None
    usual = float(np.median(known))
    short = (lengths > 0) & (lengths < usual / 2)
    if not short.any():
        return None
    first = int(np.argmin(np.where(short, lengths, np.iinfo(np.int64).max)))
    shortest = int(lengths[first])
    words = {"usual": usual, "shortest": shortest}
    level: Level = "warning" if shortest < TOP else "note"
    return Found(short, words=words, level=level, example=view.facts.topics[first])


UNEVEN_DEPTH = Code(
    "uneven-depth",
    "run",
    _uneven_depth,
    "{run}: {some} {have} fewer than half of the usual {usual:g} documents, the fewest {shortest}",
    "note",
)


def _equal_scores(view: View) -> Found:
    return Found(any_of(view.system.observed, "equal"))


def _order_by_ids(view: View) -> Found | None:
    """Detect that the baseline's scores are equal on more than half of the topics, and another
    order of its documents has other values.
    """
    facts, measure, baseline = view.of_verdict()
    name = view.system.name
    text = facts.equal_in_words(baseline, f"the {name}" if name == facts.leaves_out else name)
    if (
        not text
        or facts.same_order(baseline, view.other)
        or not facts.order_matters(baseline, measure)
    ):
        return None
    return Found(view.inside, words={"text": text}, says="{text}")


EQUAL_SCORES = Code(
    "equal-scores",
    "run",
    _equal_scores,
    "{run}: all documents have the same score in {some}: their ids decide the order",
    against=frozenset({"pass"}),
    stops=_order_by_ids,
)


def _id_order(view: View) -> Found:
    return Found(any_of(view.system.observed, "by_id"))


def _sorted_by_ids(view: View) -> Found | None:
    """Find a baseline in the order of its ids, if another order would have other values."""
    (facts, measure, baseline), found = view.of_verdict(), _id_order(view)
    backwards = view.system.backwards.get(measure)
    if (
        not (found.topics & view.inside).any()
        or facts.same_order(baseline, view.other)
        or backwards is None
        or np.allclose(facts.values(measure)[baseline], backwards.mean(axis=0), equal_nan=True)
    ):
        return None
    return replace(found, told=found.topics)


ID_ORDER = Code(
    "id-order",
    "run",
    _id_order,
    "{run}: documents are in the order of their ids in {some}, though their scores differ: were "
    "scores given to a list that was not ranked?",
    against=frozenset({"pass"}),
    stops=_sorted_by_ids,
)


def _ties(view: View) -> Found | None:
    observed = view.system.observed
    tied = np.asarray(sum(one.tied for one in observed))
    if not tied.any():
        return None
    deciding = any_of(observed, "deciding")
    words = {"n": int(tied.sum()), "all": int(view.system.lengths.sum()), "top": TOP}
    words["deciding"] = int(deciding.sum())
    if not deciding.any():
        return Found(tied > 0, words=words, level="note", count=words["n"])
    first = view.facts.topics[int(deciding.argmax())]
    said = (
        "{run}: {n} of {all} documents are tied, in {some}; in {deciding} of these, first "
        "{first!r}, documents of different grades are tied in the first {top} ranks: see intervals "
        "over ties"
    )
    return Found(tied > 0, words=words, says=said, count=words["n"], example=first)


TIES = Code("ties", "run", _ties, "{run}: {n} of {all} documents are tied, in {some}")


def _other_in_expectation(view: View) -> Found | None:
    """Detect that the verdict is another one in expectation over the orders of tied documents."""
    facts, measure = view.facts, view.measure
    if view.decide is None or measure is None:
        return None
    expected = facts.expected(measure)
    if expected is None:
        return None
    now = view.decide(facts.values(measure), view.inside)
    then = view.decide(expected, view.inside)
    if now == then:
        return None
    return Found(facts.tied & view.inside, words={"then": then, "now": now})


TIES_DECIDE = Code(
    "ties",
    "verdict",
    nothing,
    "the ids of tied documents decide ({some}): by {measure} the verdict is {now!r} in this order, "
    "and {then!r} on average over all orders",
    by_measure=True,
    against=frozenset({"pass", "claim"}),
    stops=_other_in_expectation,
    needs_pair=True,
)


def _judge_decides(view: View) -> Found | None:
    """Detect that the topics that humans judged would block alone."""
    facts, measure = view.facts, view.measure
    if view.decide is None or measure is None:
        return None
    human = facts.human_topics & view.inside
    if human.all() or not human.any() or (human == view.inside).all():
        return None
    values = facts.values(measure)
    if view.decide(values, view.inside) != "pass" or view.decide(values, human) != "block":
        return None
    return Found(human)


JUDGE_DECIDES = Code(
    "judge-decides",
    "verdict",
    nothing,
    "the topics that humans judged ({some}) would block it by {measure}: the judge alone lets it "
    "pass",
    by_measure=True,
    against=frozenset({"pass"}),
    stops=_judge_decides,
)


def _float32_ties(view: View) -> Found:
    return Found(any_of(view.system.observed, "blurred"))


FLOAT32_TIES = Code(
    "float32-ties",
    "run",
    _float32_ties,
    "{run}: in {some}, different scores are equal as 32-bit floats: tools that round scores to 32 "
    "bits have another order",
    "note",
)


def _identical(view: View) -> Found | None:
    """Find an earlier run with the same judged documents at the same ranks."""
    facts, system = view.facts, view.system
    if not system.retrieved.any():
        return None
    other = facts.first_of_ranking[system.ranking]
    if other is system:
        return None
    return Found(view.inside, count=int(system.lengths.sum()), example=other.name)


IDENTICAL_RUNS = Code(
    "identical-runs",
    "pair",
    _identical,
    "{run} has the same judged documents at the same ranks as {first}: no measure tells them apart",
)


CODES = (
    UNANSWERED,
    CHANGED_IDS,
    OTHER_TOPIC,
    UNSEEN_RUN,
    INVALID_RUN,
    OWN_TOPIC,
    UPSIDE_DOWN,
    SHALLOW,
    UNJUDGED_TOPICS,
    REPEATS,
    RANKS_RESTART,
    RANKS_BEGIN_LATE,
    SEVERAL_TAGS,
    MISSING_IDS,
    UNJUDGED,
    UNEVEN_DEPTH,
    EQUAL_SCORES,
    ID_ORDER,
    TIES,
    FLOAT32_TIES,
    IDENTICAL_RUNS,
    TIES_DECIDE,
    JUDGE_DECIDES,
)
