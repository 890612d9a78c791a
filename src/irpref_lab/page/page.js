"use strict";
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const n = D.runs.length, topics = D.topics, by = id => document.getElementById(id);
document.documentElement.classList.add("on");

// ------------------------------------------------------------------ elements; whatever is shown is set as text
const SVG = "http://www.w3.org/2000/svg";
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(9).filter(child => child !== null && child !== undefined).map(
    child => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const sv = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const bdi = text => el("bdi", {}, text);
const isolated = text => "\u2068" + text + "\u2069";
const put = (id, ...children) => by(id).replaceChildren(...children.flat(9));
// Halves go to the even digit, as in Python: the p of few topics is often one.
const fixed = (value, places = 4) => {
  if (value === null || value === undefined) return "";
  const text = value.toFixed(places + 1);
  const even = /[02468]5$/.test(text) && Number.isInteger(value * 2 ** (places + 1));
  return even ? text.slice(0, -1) : value.toFixed(places);
};
const signed = (value, places = 4) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + fixed(Math.abs(value), places);
const minus = number => String(number).replace("-", "\u2212");
const pValue = p => (p === null ? "not tested" : p < 0.0001 ? "< 0.0001" : fixed(p));
const short = (text, most) => {
  const signs = [...text];
  return signs.length <= most ? text : [...signs.slice(0, Math.ceil((most - 1) / 2)), "\u2026", ...signs.slice(signs.length - Math.floor((most - 1) / 2))].join("");
};
const counted = (number, what) => number + " " + what + (number === 1 ? "" : "s");
// Names of runs as there is room for them; whole where one rests on them, and in files.
const nameOf = r => el("bdi", { title: D.short[r] === D.runs[r] ? null : D.runs[r] }, D.short[r]);
const wide = most => Math.max(280, Math.min(most, document.documentElement.clientWidth - 24));
function options(id, names, chosen) {
  put(id, names.map((name, i) => el("option", { value: i }, isolated(short(name, 40)))));
  by(id).value = String(chosen);
  return by(id);
}
const picked = id => Number(by(id).value);

// ------------------------------------------------------------------ pairs of runs i < j, row by row
const significant = 1 - D.level + 1e-12;
function pair(m, i, j, of = D.pairs) {
  if (i === j || !of.length) return null;
  const [a, b, sign] = i < j ? [i, j, 1] : [j, i, -1];
  const at = a * n - a * (a + 1) / 2 + b - a - 1, pairs = of[m];
  const difference = pairs.difference[at], effect = pairs.effect_size[at];
  return { difference: difference === null ? null : sign * difference, effect: effect === null ? null : sign * effect,
    p: pairs.p[at], adjusted: pairs.p_adjusted[at] };
}
const better = (m, difference) => (D.measures[m].higher ? difference > 0 : difference < 0);

// ------------------------------------------------------------------ sorting, of any table with data-key heads
function sortable(table, keyOf, before, after = () => {}) {
  const sort = (head, way) => {
    for (const other of head.parentNode.children) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", way);
    const sign = way === "ascending" ? 1 : -1;
    const rows = [...table.tBodies[0].rows].map((row, at) => ({ row, at, key: keyOf(row, head.dataset.key) }));
    const missing = key => key === null || key === undefined || key === "";
    rows.sort((a, b) => {
      if (missing(a.key) || missing(b.key)) return missing(a.key) - missing(b.key) || a.at - b.at;
      const order = typeof a.key === "number" ? a.key - b.key : a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
      return sign * order || a.at - b.at;
    });
    table.tBodies[0].append(...rows.map(each => each.row));
    after();
  };
  table.tHead.addEventListener("click", event => {
    const head = event.target.closest("th[data-key]");
    if (!head) return;
    const now = head.getAttribute("aria-sort"), first = head.dataset.first;
    if (before) before(head.dataset.key);
    sort(head, now === "none" ? first : now === "ascending" ? "descending" : "ascending");
  });
  return () => { // once more, if what it is sorted by has changed
    const head = table.tHead.querySelector("th[aria-sort=ascending], th[aria-sort=descending]");
    if (head && !/^(run|m[0-9]+)$/.test(head.dataset.key)) sort(head, head.getAttribute("aria-sort"));
  };
}

// ------------------------------------------------------------------ leaderboard
const board = by("board");
const rowOf = [...board.tBodies[0].rows];
const LINES = 8, drawn = [];
const shownMeasure = () => picked("board-measure");
const headOf = key => board.tHead.querySelector(`th[data-key=${key}]`);
const sortAgain = sortable(board, (row, key) => {
  const r = Number(row.dataset.run);
  if (key === "run") return D.runs[r];
  if (key === "answered" || key === "judged") return D[key][r];
  if (key === "place" || key === "low" || key === "letters") return D.board[shownMeasure()][key][r];
  return D.board[Number(key.slice(1))].mean[r];
}, key => {
  // Who sorts by a measure wants its places, too.
  if (!/^m[0-9]+$/.test(key) || key === "m" + shownMeasure()) return;
  by("board-measure").value = key.slice(1);
  showBoard();
}, fold);
// Of many runs the first and the last rows, as they are sorted now, or those whose names hold what is looked for.
function fold() {
  const find = by("board-find");
  if (!find) return;
  const rows = [...board.tBodies[0].rows], words = find.value.trim().toLowerCase();
  const all = by("board-all").getAttribute("aria-pressed") === "true", base = by("board-baseline") ? picked("board-baseline") : -1;
  let gap = false;
  rows.forEach((row, at) => {
    const r = Number(row.dataset.run);
    row.hidden = words ? !D.runs[r].toLowerCase().includes(words) : !(all || at < 20 || at >= n - 5 || r === base);
    row.classList.toggle("gap", gap && !row.hidden && !words);
    gap = row.hidden;
  });
  const seen = rows.filter(row => !row.hidden).length;
  put("board-found", words ? `${counted(seen, "run")} of ${n}` : seen < n ? `The first 20 and the last 5 of ${n} runs` : "");
}
function showBoard() {
  const m = shownMeasure(), of = D.board[m], base = by("board-baseline") ? picked("board-baseline") : -1;
  const ends = [...of.low, ...of.high, ...of.mean].filter(value => value !== null);
  const least = Math.min(...ends), room = Math.max(...ends) - least || 1;
  const x = value => 4 + 92 * (value - least) / room;
  const places = ["place", "low", "letters"].map(key => [key, headOf(key)]).filter(each => each[1]);
  put("board-by", D.measures[m].name);
  D.measures.forEach((_, i) => headOf("m" + i).classList.toggle("shown", i === m && D.measures.length > 1));
  for (const [, head] of places) head.setAttribute("title", "by " + D.measures[m].name);
  const columns = Object.fromEntries(places.map(([key, head]) => [key, head.cellIndex]));
  rowOf.forEach((row, r) => {
    row.classList.toggle("baseline", r === base);
    D.measures.forEach((measure, i) => {
      const cell = row.cells[i + 1], testedPair = base < 0 ? null : pair(i, r, base);
      cell.replaceChildren(D.board[i].shown[r]);
      if (!testedPair || testedPair.difference === null) return;
      const tested = testedPair.adjusted !== null, real = tested && testedPair.adjusted <= significant;
      const kind = !real ? "" : better(i, testedPair.difference) ? " better" : " worse";
      cell.append(el("span", { class: "delta" + kind }, signed(testedPair.difference), real ? (testedPair.difference > 0 ? " \u25b2" : " \u25bc") : ""));
      if (tested) cell.append(el("span", { class: "delta" + kind }, "p " + pValue(testedPair.adjusted)));
    });
    row.cells[columns.place].replaceChildren(of.place[r] ?? "–", of.place_low[r] === null ? ""
      : el("small", {}, " (" + of.place_low[r] + "\u2013" + of.place_high[r] + ")"));
    const interval = row.cells[columns.low];
    if (interval) interval.replaceChildren();
    if (interval && of.low[r] !== null) {
      const ends = fixed(of.low[r]) + "\u2013" + fixed(of.high[r]);
      interval.append(sv("svg", { width: 100, height: 14, viewBox: "0 0 100 14", role: "img", "aria-label": "mean " + of.shown[r] + ", interval " + ends },
        sv("line", { class: "range", x1: x(of.low[r]), x2: x(of.high[r]), y1: 7, y2: 7 }),
        sv("circle", { class: "mean", cx: x(of.mean[r]), cy: 7, r: 3.5 })), el("small", {}, ends));
    }
    if (columns.letters) row.cells[columns.letters].replaceChildren(of.letters[r] === null ? "" : of.letters[r]);
  });
}
options("board-measure", D.measures.map(measure => measure.name), 0).addEventListener("change", () => { showBoard(); sortAgain(); });
if (by("board-baseline")) {
  put("board-baseline", el("option", { value: -1 }, "none"), D.short.map((name, r) => el("option", { value: r }, isolated(name))));
  by("board-baseline").value = String(D.baseline === null ? -1 : D.baseline);
  by("board-baseline").addEventListener("change", () => { showBoard(); fold(); });
  rowOf.forEach((row, r) => row.cells[0].addEventListener("click", event => {
    if (event.target.nodeName === "INPUT") return;
    by("board-baseline").value = picked("board-baseline") === r ? "-1" : String(r);
    showBoard();
    fold();
  }));
}
rowOf.forEach((row, r) => {
  const box = el("input", { type: "checkbox", "aria-label": "draw the curves of " + D.runs[r], on: { change: () => {
    if (box.checked && drawn.filter(each => each !== null).length >= LINES) {
      box.checked = false;
      put("board-said", `${LINES} runs have curves, and more could not be told apart: untick one first.`);
      return;
    }
    put("board-said");
    if (box.checked) { const free = drawn.indexOf(null); if (free < 0) drawn.push(r); else drawn[free] = r; }
    else drawn[drawn.indexOf(r)] = null;
    showCurves();
  } } });
  if (r < 4 || r === D.baseline) { box.checked = true; drawn.push(r); }
  row.cells[0].prepend(box);
});
if (by("board-find")) {
  by("board-find").addEventListener("input", fold);
  by("board-all").addEventListener("click", event => {
    event.target.setAttribute("aria-pressed", String(event.target.getAttribute("aria-pressed") !== "true"));
    fold();
  });
}
showBoard();
fold();

// ------------------------------------------------------------------ pictures, drawn by Vega; what they show is data, never part of an expression
const AXIS = { domainColor: "var(--soft)", tickColor: "var(--soft)", gridColor: "var(--line)", labelColor: "var(--soft)", titleColor: "var(--ink)", titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 11, titleLimit: 330 };
const LOOK = { background: null, font: getComputedStyle(document.body).fontFamily, axis: AXIS, view: { stroke: null } };
// The page is on the screen first.
const shown = new Promise(done => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 500); });
function picture(spec, act = () => {}, ready = () => {}) {
  const box = el("div", { "aria-busy": "true" });
  // `ast`: expressions are interpreted, as the policy of the page lets nothing be compiled.
  const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, config: LOOK, tooltip: (_, event, item, text) => { box.title = text || ""; } };
  shown.then(() => vegaEmbed(box, { autosize: { type: "fit", contains: "padding" }, ...spec }, options)).then(({ view }) => {
    view.addEventListener("click", (_, item) => { if (item && item.datum) act(item.datum); });
    ready(view);
    box.removeAttribute("aria-busy");
  });
  return box;
}
const number = (field, title, domain, more = {}) => ({ field, type: "quantitative", scale: { domain, nice: false, zero: false }, axis: { title, tickCount: 5, ...more } });
const figure = (caption, note, ...inside) => el("figure", {}, el("figcaption", {}, caption, note ? el("small", {}, note) : null), ...inside);
function range(values, pad = 0.05) {
  const real = values.filter(value => value !== null && value !== undefined);
  if (!real.length) return [0, 1];
  const low = Math.min(...real), high = Math.max(...real), room = (high - low) * pad || Math.abs(high) * pad || 0.1;
  return [low - room, high + room];
}

// ------------------------------------------------------------------ pairs
let cell = [0, Math.min(1, n - 1)];
// Of more runs the matrix would be longer than the rest of the page.
const MOST_IN_MATRIX = 150, inMatrix = Math.min(n, MOST_IN_MATRIX);
function showPairs() {
  const m = picked("pairs-measure");
  const size = Math.max(6, Math.min(30, Math.floor(720 / inMatrix))), names = size >= 9;
  const cells = [], SHADES = [0.28, 0.6, 1];
  for (let i = 0; i < inMatrix; i++) for (let j = 0; j < inMatrix; j++) {
    if (i === j) {
      cells.push({ i, j, fill: "var(--paper)", shade: 1 });
      continue;
    }
    const of = pair(m, i, j), p = of.adjusted, strong = of.effect === null ? 0 : Math.abs(of.effect);
    const real = p !== null && p <= significant;
    const shade = j > i ? (p <= 0.001 ? 2 : p <= 0.01 ? 1 : 0) : strong >= 0.8 ? 2 : strong >= 0.5 ? 1 : 0;
    if (real && of.difference) cells.push({ i, j, fill: better(m, of.difference) ? "var(--blue)" : "var(--orange)", shade: SHADES[shade] });
    else if (n <= 30) cells.push({ i, j, fill: "var(--shade)", shade: 1 }); // the ground has it, but few cells show their edges
  }
  let view = null;
  const mark = () => {
    const [i, j] = cell, of = pair(m, i, j);
    if (view) view.signal("row", i).signal("column", j).run();
    if (of) put("pairs-said", bdi(D.measures[m].name), ": ", nameOf(i), " minus ", nameOf(j), ": " + signed(of.difference)
      + ", effect size " + (of.effect === null ? "none" : signed(of.effect, 3)) + ", p " + pValue(of.p) + (of.adjusted === null ? "" : ", adjusted p " + pValue(of.adjusted)));
    else put("pairs-said", bdi(D.measures[m].name), ": ", nameOf(i));
  };
  const open = () => { if (cell[0] !== cell[1]) { by("two-a").value = String(cell[1]); by("two-b").value = String(cell[0]); by("two-measure").value = String(m); showTwo(); by("two").scrollIntoView(); } };
  const place = (field, axis) => ({ field, type: "ordinal", scale: { domain: [...cells.keys()].slice(0, inMatrix) }, axis: { domain: false, ticks: false, title: null, labelFontSize: Math.min(11, size), ...axis } });
  const every = { values: D.runs.slice(0, inMatrix).map((_, r) => r).filter(r => size >= 16 || r % 10 === 9 || r === 0), labelExpr: "'' + (datum.value + 1)", labelAngle: 0, labelOverlap: false };
  const plot = picture({ autosize: "pad", view: { fill: "var(--shade)" }, width: { step: size }, height: { step: size }, description: "Matrix of pairs by " + D.measures[m].name, params: [{ name: "row", value: cell[0] }, { name: "column", value: cell[1] },
    { name: "names", value: D.short.map((name, r) => isolated(short(name, 20)) + "\u00a0\u00a0" + (r + 1)) }], layer: [
    { data: { values: cells }, mark: { type: "rect", aria: false, stroke: "var(--paper)", strokeWidth: size < 12 ? 0.5 : 1 }, encoding: {
      x: place("j", { orient: "top", ...every }), y: place("i", names ? { labelExpr: "names[datum.value]", labelLimit: 230, labelOverlap: false } : every), fill: { field: "fill", type: "nominal", scale: null }, fillOpacity: { field: "shade", type: "quantitative", scale: null } } },
    { data: { values: [{}] }, transform: [{ calculate: "row", as: "i" }, { calculate: "column", as: "j" }], mark: { type: "rect", aria: false, fill: null, stroke: "var(--ink)", strokeWidth: 2 },
      encoding: { x: { field: "j", type: "ordinal" }, y: { field: "i", type: "ordinal" } } }] },
  undefined, made => {
    view = made;
    fill(plot, { tabindex: 0, role: "application", "aria-label": "Matrix of pairs by " + D.measures[m].name }, []);
    mark();
  });
  const at = event => { // also if no cell is drawn there
    const box = view && plot.querySelector(".background").getBoundingClientRect();
    const [i, j] = box ? [(event.clientY - box.top) / box.height, (event.clientX - box.left) / box.width].map(share => Math.floor(share * inMatrix)) : [-1, -1];
    if (i < 0 || j < 0 || i >= inMatrix || j >= inMatrix) return false;
    cell = [i, j];
    mark();
    return true;
  };
  plot.addEventListener("mousemove", at);
  plot.addEventListener("click", event => { if (at(event)) open(); });
  plot.addEventListener("keydown", event => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) { cell = [0, 1].map(side => Math.min(inMatrix - 1, Math.max(0, cell[side] + step[side]))); mark(); event.preventDefault(); }
    if (event.key === "Enter") open();
  });
  put("pairs-plot", plot);
  const swatch = (kind, text) => el("span", {}, sv("svg", { width: 12, height: 12 }, sv("rect", { class: kind, width: 12, height: 12 })), text);
  put("pairs-legend", n > inMatrix ? el("span", {}, `The first ${inMatrix} of ${n} runs; the CSV file has all pairs.`) : "", swatch("better l1", `p \u2264 ${fixed(1 - D.level, 2)}`), swatch("better l2", "p \u2264 0.01, or effect size from 0.5"),
    swatch("better l3", "p \u2264 0.001, or from 0.8"), swatch("worse l3", "the same, worse"), swatch("none", "not shown to differ"));
  mark();
}

// ------------------------------------------------------------------ two systems: the second minus the first, as in compare
const K = D.rankings;
// Topics as people count them: 2 before 10.
const counting = new Intl.Collator("en", { numeric: true }), byName = topics.map((_, t) => t).sort((s, t) => counting.compare(topics[s], topics[t]));
const placeByName = byName.reduce((places, t, at) => { places[t] = at; return places; }, []);
let topic = 0, points = [], views = [], absent = [];
const valuesOf = (m, r) => { const at = D.with_values.indexOf(r); return at < 0 ? null : D.values[m][at]; };
function choose(t, from) {
  topic = t;
  for (const row of points) row.classList.toggle("chosen", Number(row.dataset.topic) === t);
  for (const view of views) view.signal("chosen", t).run();
  const row = points.find(each => Number(each.dataset.topic) === t);
  if (row && from !== "table") {
    const box = row.closest(".scroll");
    box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }
  if (!by("topic")) return; // values only
  by("topic-id").value = String(t);
  showTopic();
}
function showTwo() {
  const a = picked("two-a"), b = picked("two-b"), m = picked("two-measure"), measure = D.measures[m];
  const va = valuesOf(m, a), vb = valuesOf(m, b), of = pair(m, b, a), table = by("two-table");
  const sentence = [measure.name + ": ", nameOf(a), " " + D.board[m].shown[a] + ", ", nameOf(b), " " + D.board[m].shown[b]];
  if (of && of.difference !== null) sentence.push("; ", nameOf(b), " minus ", nameOf(a), ": " + signed(of.difference) + (of.effect === null ? "" : ", effect size " + signed(of.effect, 3))
    + ", p " + pValue(of.p) + (of.adjusted === null || n < 3 ? "" : ", adjusted for all pairs " + pValue(of.adjusted)));
  points = [];
  views = [];
  if (!va || !vb) {
    put("two-said", sentence, ". There are many runs, so the page has the values of topics for some of them only.");
    put("two-plots");
    table.replaceChildren();
    return;
  }
  const differences = topics.map((_, t) => (va[t] === null || vb[t] === null ? 0 : vb[t] - va[t]));
  const wins = differences.filter(d => better(m, d)).length, same = differences.filter(d => d === 0).length;
  const losses = topics.length - wins - same, score = `${counted(wins, "topic")} won, ${losses} lost, ${same} equal`;
  put("two-said", sentence, ". ", nameOf(b), `: ${score}` + (measure.higher ? "." : " (lower is better)."));
  const order = topics.map((_, t) => t).sort((s, t) => differences[t] - differences[s]);
  const values = order.map((t, i) => ({ t, i, a: va[t], b: vb[t], d: differences[t], fill: differences[t] === 0 ? "var(--paper)" : better(m, differences[t]) ? "var(--soft)" : "var(--line)",
    tip: `${isolated(topics[t])}${D.queries[t] === null ? "" : " " + isolated(D.queries[t])}: ${fixed(va[t])} and ${fixed(vb[t])}, difference ${signed(differences[t])}` }));
  const tip = { field: "tip", type: "nominal" }, topicMarks = { fill: { field: "fill", type: "nominal", scale: null }, stroke: { value: "var(--ink)" },
    strokeWidth: { condition: { test: "datum.t === chosen", value: 3 }, value: 0.6 }, tooltip: tip, description: tip };
  const mine = views = [], params = [{ name: "chosen", value: topic }];
  const draw = spec => picture({ params, data: { values }, ...spec }, of => { if (of.t !== undefined) choose(of.t, "plot"); }, view => { mine.push(view.signal("chosen", topic).run()); });
  const both = range([...va, ...vb], 0.03), side = wide(380), y = range([...differences, 0], 0.05);
  const slots = Math.max(topics.length, 12), room = by("two").clientWidth - side - 24;
  // Few topics have no broader bars; the table is beside the pictures where there is room for both.
  const most = Math.max(420, Math.min(900, 70 + slots * 14)), left = room - 500;
  const width = wide(left >= 70 + slots * 6 && left >= 280 && !D.queries.some(text => text !== null) ? Math.min(most, left) : Math.min(most, Math.max(300, room)));
  const one = draw({ width: side, height: side - 20, description: `Topics by ${measure.name} of two runs. Each dot is a topic; above the diagonal the second run has the higher value. ${score}. The table below has the numbers.`, layer: [
    { data: { values: both.map(end => ({ a: end, b: end })) }, mark: { type: "line", aria: false, stroke: "var(--soft)", strokeWidth: 1 }, encoding: {
      x: number("a", isolated(short(D.short[a], 44)), both), y: number("b", isolated(short(D.short[b], 40)), both) } },
    { mark: { type: "circle", size: 80, fillOpacity: 0.75, cursor: "pointer" }, encoding: { x: { field: "a", type: "quantitative" }, y: { field: "b", type: "quantitative" }, ...topicMarks } }] });
  const slot = { field: "i", type: "ordinal", scale: { domain: Array.from({ length: slots }, (_, i) => i), paddingInner: 0.2, paddingOuter: 0 }, axis: { title: `${counted(topics.length, "topic")}, by difference`, labels: false, ticks: false, domain: false } };
  const two = draw({ width, height: 360, description: `Differences by topic in ${measure.name}. ${score}. The table below has the numbers.`, layer: [
    { mark: { type: "bar", cursor: "pointer" }, encoding: { x: slot, y: number("d", `difference in ${short(measure.name, 40)}`, y), ...topicMarks } },
    { data: { values: [{}] }, mark: { type: "rule", aria: false, stroke: "var(--soft)" }, encoding: { y: { datum: 0 } } },
    // Whoever points above or below a short bar means it.
    { mark: { type: "bar", aria: false, fillOpacity: 0, cursor: "pointer" }, encoding: { x: { field: "i", type: "ordinal" }, y: { value: 0 }, y2: { value: "height" }, tooltip: tip } }] });
  const which = measure.higher ? "above the line" : "below the line";
  put("two-plots", figure(`Topics by ${measure.name}`, `strong, ${which}: the second run is better; faint: worse; empty: equal`, one),
    figure("Differences, sorted", [nameOf(b), " \u2212 ", nameOf(a)], two));
  const head = (key, name, first) => el("th", { scope: "col", "data-key": key, "data-first": first, "aria-sort": "none", class: key === "topic" || key === "query" ? null : "number" }, el("button", { type: "button" }, name));
  const queries = D.queries.some(text => text !== null);
  const body = el("tbody", {}, order.map(t => {
    const row = el("tr", { "data-topic": t, tabindex: 0, on: { click: () => choose(t, "table"), keydown: event => { if (event.key === "Enter") choose(t, "table"); } } },
      el("th", { scope: "row" }, bdi(topics[t])), queries ? el("td", { class: "prose" }, bdi(D.queries[t] || "")) : null,
      el("td", { class: "number" }, fixed(va[t])), el("td", { class: "number" }, fixed(vb[t])), el("td", { class: "number" }, signed(differences[t])));
    points.push(row);
    return row;
  }));
  const fresh = el("table", { id: "two-table" }, el("thead", {}, el("tr", {}, head("topic", "Topic", "ascending"), queries ? head("query", "Query", "ascending") : null,
    head("a", nameOf(a), "descending"), head("b", nameOf(b), "descending"), head("difference", "Difference", "ascending"))), body);
  sortable(fresh, (row, key) => { const t = Number(row.dataset.topic); return { topic: placeByName[t], query: D.queries[t], a: va[t], b: vb[t], difference: differences[t] }[key]; });
  table.replaceWith(fresh);
  showGroups(a, b, m);
  for (const [id, r] of [["topic-left", a], ["topic-right", b]]) {
    const at = K.runs.indexOf(D.runs[r]);
    if (at >= 0) by(id).value = String(at);
  }
  absent = [a, b].filter(r => !K.runs.includes(D.runs[r]));
  if (K.explained.includes(measure.name)) by("topic-measure").value = String(K.explained.indexOf(measure.name));
  choose(order.reduce((most, t) => (Math.abs(differences[t]) > Math.abs(differences[most]) ? t : most)), "plot");
}
function showGroups(a, b, m) {
  if (!D.groups.length) return;
  put("two-groups", el("div", { class: "scroll" }, el("table", { class: "plain" }, el("caption", {}, "Groups of topics"),
    el("thead", {}, el("tr", {}, ["Group", "Topics", "Difference", "Effect size", "p", "Adjusted p"].map((name, i) => el("th", { scope: "col", class: i ? "number" : null }, name)))),
    el("tbody", {}, D.groups.map(group => {
      const of = pair(m, b, a, group.pairs);
      return el("tr", {}, el("th", { scope: "row" }, bdi(group.name)), el("td", { class: "number" }, group.topics), of === null ? [] : [signed(of.difference), of.effect === null ? "" : signed(of.effect, 3), pValue(of.p), of.adjusted === null ? "" : pValue(of.adjusted)]
        .map(text => el("td", { class: "number" }, text)));
    })))));
}

// ------------------------------------------------------------------ a topic
const ROW = 27; // pixels, as the style has it
const relevant = (list, i) => K.graded && list.grades[i] > 0 && (!list.filled[i] || list.grades[i] >= K.least);
const narrow = document.documentElement.clientWidth < 600; // a telephone: what ids begin with is often the same
function ranking(list, side, m, top) {
  const head = el("tr", {}, el("th", { class: "rank number", scope: "col" }, "#"), el("th", { class: "tie" }), el("th", { scope: "col" }, "Document"),
    el("th", { class: "grade number", scope: "col" }, K.graded ? "Grade" : "Judged"), m < 0 ? null : el("th", { class: "part number", scope: "col" }, "Adds"));
  const docs = list ? list.docs : [], higher = m < 0 || D.measures.find(measure => measure.name === K.explained[m]).higher;
  return el("table", { class: "ranking", "data-side": side }, el("thead", {}, head), el("tbody", {}, docs.map((doc, i) => {
    const grade = list.grades[i], filled = list.filled[i], label = grade === null ? null : filled ? "~" + fixed(grade, 2) : minus(grade), tie = list.tied[i], part = m < 0 ? null : list.parts[m][i];
    const opens = tie && list.tied[i - 1] !== tie, closes = tie && list.tied[i + 1] !== tie && i + 1 < docs.length;
    const title = K.titles[doc];
    const why = () => put("topic-why", bdi(K.docs[doc]), title === null ? "" : [": ", bdi(title)], ` \u2014 rank ${i + 1}, score ${list.scores[i]}, `
      + (grade === null ? "not judged" : K.graded ? `grade ${label}${filled ? " (filled in)" : ""}` : "judged") + (m < 0 ? "" : `, adds ${minus(fixed(part, 5))}` + (K.words[list.why[m][i]] ? ": " + K.words[list.why[m][i]] : "")));
    return el("tr", { "data-doc": doc, tabindex: 0, on: { click: why, focus: why } },
      el("td", { class: "rank number" }, i + 1), el("td", { class: "tie" }, tie ? el("i", { class: opens ? "first" : closes ? "last" : "" }) : null),
      el("th", { scope: "row", title: K.docs[doc] + (title === null ? "" : ": " + title) }, bdi(title === null ? narrow && K.docs[doc].length > 8 ? "\u2026" + [...K.docs[doc]].slice(-6).join("") : K.docs[doc] : title)),
      el("td", { class: "grade number " + (grade === null ? "unjudged" : relevant(list, i) ? "relevant" : "") }, grade === null ? el("span", { role: "img", "aria-label": "unjudged", title: "unjudged" }, "\u2013") : K.graded ? label : "\u2713"),
      m < 0 ? null : el("td", { class: "part number" }, part === 0 ? "" : sv("svg", { width: 30, height: 8, "aria-hidden": "true" }, sv("rect", { class: (part > 0) === higher ? "gain" : "cost", x: 1, y: 1, width: top ? 26 * Math.abs(part) / top : 0, height: 6 })), " " + minus(fixed(part))));
  })));
}
function showTopic() {
  const t = picked("topic-id"), left = K.lists[picked("topic-left")][t], right = K.lists[picked("topic-right")][t];
  const m = K.explained.length ? picked("topic-measure") : -1;
  const query = D.queries[t];
  put("topic-said", el("strong", {}, "Topic ", bdi(topics[t]), query === null ? "" : [": ", bdi(query)]), ". ",
    m < 0 ? "" : ["Adds: to ", bdi(K.explained[m]), ". "], K.graded ? `${counted(K.relevant[t], "document")} of grade 1 or more.` : "",
    absent.map(r => [" No ranking of ", nameOf(r), " is on this page."]));
  const parts = [left, right].flatMap(list => (list && m >= 0 ? list.parts[m].map(Math.abs) : []));
  const top = Math.max(0, ...parts);
  // The rows are equally high, on the screen as on paper.
  const height = Math.max(left ? left.docs.length : 0, right ? right.docs.length : 0) * ROW, middle = at => (at + 0.5) * ROW;
  const lines = sv("svg", { class: "lines", height, viewBox: `0 0 90 ${height || 1}`, preserveAspectRatio: "none", role: "img" }, sv("title", {}, "Lines between the places of the same documents"));
  const column = (id, list, side) => el("div", {}, el("strong", { class: "head" }, nameOf(D.runs.indexOf(K.runs[picked(id)]))), ranking(list, side, m, top));
  put("topic-lists", column("topic-left", left, "left"), el("div", {}, lines), column("topic-right", right, "right"));
  const places = new Map(right ? right.docs.map((doc, at) => [doc, at]) : []);
  (left ? left.docs : []).forEach((doc, at) => {
    if (!places.has(doc)) return;
    const both = relevant(left, at);
    lines.append(sv("line", { "data-doc": doc, x1: 2, x2: 88, y1: middle(at), y2: middle(places.get(doc)), "vector-effect": "non-scaling-stroke", stroke: both ? "var(--ink)" : "var(--grey)", "stroke-width": both ? 2 : 1.2 }));
  });
  put("topic-why", K.explained.length ? "Choose a document to see what it adds, and why." : "Choose a document to see its score.");
}

// ------------------------------------------------------------------ curves and holes of the runs that are ticked
// Lines differ in dashes and in lightness: colour is kept for differences that are shown.
const DASHES = [[], [8, 4], [2, 3], [9, 3, 2, 3], [], [8, 4], [2, 3], [9, 3, 2, 3]];
const tint = c => (c < 4 ? "var(--ink)" : "var(--grey)");
function lineChart({ title, note, x, xLabel, yLabel, y, log, from, to, fit, zero }) {
  const values = drawn.flatMap((r, c) => (r === null ? [] : x.map((at, i) => ({ c, run: isolated(D.runs[r]), x: at, y: y[r][i] })))).filter(point => point.y !== null);
  const heights = values.map(point => point.y), ends = [x[0], Math.max(...values.map(point => point.x), x[0] + 1e-9)];
  const span = fit ? range(heights) : [from === undefined ? Math.min(0, ...heights) : from, to === undefined ? Math.max(...heights, 0.001) : to];
  const across = number("x", xLabel, ends, { grid: false, ...(log ? { values: x.length < 9 ? x : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], tickCount: null, labelOverlap: "greedy", labelExpr: "'' + datum.value" } : {}) });
  if (log) across.scale = { domain: ends, nice: false, type: "log" };
  const run = { field: "run", type: "nominal" }, each = range => ({ field: "c", type: "nominal", scale: { domain: [...DASHES.keys()], range }, legend: null });
  return figure(title, note, picture({ width: wide(390), height: 290, data: { values }, description: `${title}: ${note}`, layer: [
    { mark: { type: "line", strokeWidth: 2, interpolate: "linear" }, encoding: { x: across, y: number("y", yLabel, span), stroke: each(DASHES.map((_, c) => tint(c))), strokeDash: each(DASHES), tooltip: run, description: run } },
    ...(zero ? [{ data: { values: [{}] }, mark: { type: "rule", aria: false, stroke: "var(--soft)", strokeDash: [5, 4] }, encoding: { y: { datum: 0 } } }] : [])] }));
}
function showCurves() {
  for (const legend of document.querySelectorAll(".legend.drawn")) legend.replaceChildren(...drawn.map((r, c) => (r === null ? null : el("span", {}, sv("svg", { width: 26, height: 8, "aria-hidden": "true" }, sv("line", { x1: 0, x2: 26, y1: 4, y2: 4, stroke: tint(c), "stroke-width": 2.5, "stroke-dasharray": DASHES[c].join(" ") })), nameOf(r)))).filter(each => each));
  if (by("curves-plots")) put("curves-plots", D.curves.map(lineChart));
  if (by("holes-plots")) put("holes-plots", D.holes.map(lineChart));
}

// ------------------------------------------------------------------ tables as files
const guard = text => (/^[=+\-@\t\r]/.test(text) ? "'" + text : text);
function cellText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = guard(value);
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}
const PAIR_HEAD = ["measure", "a", "b", "difference", "effect_size", "p", "p_adjusted"];
const pairRows = tested => D.measures.flatMap((measure, m) => D.runs.flatMap((a, i) => D.runs.slice(i + 1).map((b, k) => {
  const of = pair(m, i, i + 1 + k, tested); // of two, the better one is the second
  return [measure.name, b, a, of.difference, of.effect, of.p, of.adjusted];
})));
const chartRows = charts => [["picture", "run", "x", "y"], ...charts.flatMap(of => of.y.flatMap((line, r) => line.map((y, i) => [of.title, D.runs[r], of.x[i], y]).filter(row => row[3] !== null)))];
const TABLES = {
  leaderboard: () => [["run", "measure", "mean", "low", "high", "place", "place_low", "place_high", "letters", "topics_answered", "judged@10"],
    ...D.measures.flatMap((measure, m) => D.runs.map((run, r) => { const of = D.board[m]; return [run, measure.name, of.mean[r], of.low[r], of.high[r], of.place[r], of.place_low[r], of.place_high[r], of.letters[r], D.answered[r], D.judged[r]]; }))],
  pairs: () => [PAIR_HEAD, ...pairRows(D.pairs)],
  groups: () => [["group", ...PAIR_HEAD], ...D.groups.flatMap(group => pairRows(group.pairs).map(row => [group.name, ...row]))],
  unjudged: () => chartRows(D.holes),
  curves: () => chartRows(D.curves),
  bounds: () => [["run", "measure", "value", "low", "high", "exact"], ...D.bounds.runs.map(of => [of.run, D.bounds.measure, of.value, of.low, of.high, String(of.exact)])],
  turns: () => [["a", "b", "measure", "difference", "low", "high", "could_turn"], ...D.bounds.pairs.map(of => [of.a, of.b, D.bounds.measure, of.difference, of.low, of.high, String(of.could_turn)])],
  ties: () => [["run", "measure", "value", "low", "expected", "high", "exact"], ...D.ties.runs.map(of => [of.run, D.ties.measure, of.value, of.low, of.expected, of.high, String(of.exact)])],
  findings: () => [["level", "code", "run", "count", "text"], ...D.findings.map(of => [of.level, of.code, of.run, of.count, of.text])],
  measures: () => [["measure", "parameters", "better", "asks"], ...D.measures.map(of => [of.name, of.parameters, of.higher ? "higher" : "lower", of.question])],
  inputs: () => [["name", "source", "sha256"], ...D.inputs.map(of => [of.name, of.what, of.hash])],
  topics: () => [["run", "query_id", "measure", "value"], ...D.with_values.flatMap((r, at) => topics.flatMap((t, i) => D.measures.map((measure, m) => [D.runs[r], t, measure.name, D.values[m][at][i]])))],
  two: () => {
    const a = picked("two-a"), b = picked("two-b"), m = picked("two-measure"), va = valuesOf(m, a), vb = valuesOf(m, b);
    return [["query_id", "query", "measure", D.runs[a], D.runs[b]], ...(va && vb ? topics.map((t, i) => [t, D.queries[i], D.measures[m].name, va[i], vb[i]]) : [])];
  },
  topic: () => [["query_id", "run", "rank", "doc_id", "score", "grade", ...K.explained], ...["topic-left", "topic-right"].flatMap(id => {
    const list = K.lists[picked(id)][picked("topic-id")];
    return list ? list.docs.map((doc, i) => [topics[picked("topic-id")], K.runs[picked(id)], i + 1, K.docs[doc], list.scores[i], K.graded ? list.grades[i] : null, ...(list.parts || []).map(part => part[i])]) : [];
  })],
};
const asCsv = rows => rows.map(row => row.map(cellText).join(",")).join("\n") + "\n";
for (const button of document.querySelectorAll("[data-csv]")) button.addEventListener("click", () => {
  const address = URL.createObjectURL(new Blob([asCsv(TABLES[button.dataset.csv]())], { type: "text/csv" }));
  el("a", { href: address, download: button.dataset.csv + ".csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
});
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => {
  const chosen = document.createRange();
  chosen.selectNodeContents(by(button.dataset.copy));
  getSelection().removeAllRanges();
  getSelection().addRange(chosen);
  button.textContent = document.execCommand("copy") ? "Copied" : "Selected: copy by hand";
  setTimeout(() => { button.textContent = "Copy"; }, 4000);
});

// ------------------------------------------------------------------ start
if (by("topic")) {
  put("topic-id", byName.map(t => el("option", { value: t }, isolated(short(D.queries[t] ? topics[t] + "  " + D.queries[t] : topics[t], 40)))));
  by("topic-id").addEventListener("change", () => choose(picked("topic-id"), "topic"));
  const rankedNames = K.runs.map(name => D.short[D.runs.indexOf(name)]);
  const byHand = () => { absent = []; showTopic(); };
  options("topic-left", rankedNames, 0).addEventListener("change", byHand);
  options("topic-right", rankedNames, Math.min(1, K.runs.length - 1)).addEventListener("change", byHand);
  if (K.explained.length) options("topic-measure", K.explained, 0).addEventListener("change", showTopic);
  else by("topic-explained").remove();
}
if (by("pairs")) {
  options("pairs-measure", D.measures.map(measure => measure.name), 0).addEventListener("change", showPairs);
  showPairs();
}
if (by("two")) {
  options("two-a", D.short, D.two[0]).addEventListener("change", showTwo);
  options("two-b", D.short, D.two[1]).addEventListener("change", showTwo);
  options("two-measure", D.measures.map(measure => measure.name), 0).addEventListener("change", showTwo);
  showTwo();
} else if (by("topic")) { // of one run, the topic with the worst value
  const values = valuesOf(0, 0), worst = (value, than) => value !== null && (than === null || better(0, than - value));
  if (values) by("topic-id").value = String(values.reduce((t, value, at) => (worst(value, values[t]) ? at : t), 0));
  showTopic();
}
showCurves();
})();
