// The view and the loop that draws it. `state` has everything that a link must restore; everything else is
// computed from it.

const $ = (id) => document.getElementById(id);
const canvas = $("canvas"), map = $("map");

const ALL = -1;
const state = {
  part: 0, axis: "time", x0: 0, x1: 1, scroll: 0,
  selected: null, order: 0, compare: null, step: -1, query: "",
  hidden: { clients: new Set(), kinds: new Set(), objects: new Set(), outcomes: new Set() },
  tab: "verdict", panel: true,
};

/** The operations of the part that is shown, and values computed from them. */
const shown = {
  set: null, marks: null, layout: null, order: null, points: null, places: null,
  compare: null, comparePoints: null, density: null, hits: [], explanation: null,
};

const faultLanes = [];
for (const [name, text, from, to] of facts.annotations) {
  let lane = faultLanes.find((lane) => lane.name === name);
  if (!lane) faultLanes.push(lane = { name, items: [] });
  lane.items.push({ text, from, to });
}
for (const lane of faultLanes) lane.items.sort((a, b) => a.from - b.from);

const cache = new Map();
function setOf(part) {
  if (part === ALL && parts.length === 1) part = 0;
  if (!cache.has(part)) {
    // Two sets are enough to switch back and forth.
    if (cache.size >= 2) cache.delete(cache.keys().next().value);
    cache.set(part, part === ALL ? mergeParts() : decodePart(parts[part]));
  }
  return cache.get(part);
}

/** Shows a part; `ALL` is all of them. */
function showPart(part) {
  state.part = part;
  shown.set = parts.length ? setOf(part) : { n: 0, orders: [], from: [], to: [], extent: 1, ranks: null };
  // The view of all parts shows all cores, and the first failure.
  const { set } = shown;
  const reasons = facts.explanations.filter((e) => e.part === part || set.part || parts.length === 1);
  const place = (e, i) => (set.part ? set.placeOf(e.part, i) : i);
  const why = shown.explanation = reasons[0] || null;
  shown.marks = {
    core: new Set(reasons.flatMap((e) => e.core.map((i) => place(e, i)))),
    failing: why && why.failing !== null ? place(why, why.failing) : null,
  };
  for (const lane of faultLanes) {
    for (const fault of lane.items) {
      fault.x = placeOfMoment(shown.set, fault.from);
      fault.end = fault.to === null ? fault.x : placeOfMoment(shown.set, fault.to);
    }
  }
  state.selected = null;
  chooseOrder(bestOrder(), null);
}

/** The first order without the failing operation: its last state is the most informative. */
function bestOrder() {
  const { set, marks } = shown;
  const best = set.orders.findIndex((order) => marks.failing === null || !order.ids.includes(marks.failing));
  return Math.max(0, best);
}

/** Chooses the order to follow; `compare` is a second one that is drawn with it. */
function chooseOrder(order, compare) {
  const { set } = shown;
  const has = (k) => k !== null && k < set.orders.length;
  state.order = has(order) ? order : 0;
  state.compare = has(compare) && compare !== state.order ? compare : null;
  shown.order = set.orders[state.order] || null;
  shown.compare = state.compare === null ? null : set.orders[state.compare];
  shown.points = shown.order && pointsOf(set, shown.order);
  shown.comparePoints = shown.compare && pointsOf(set, shown.compare);
  shown.places = placesIn(set, shown.order);
  if (shown.order && state.step >= shown.order.ids.length) state.step = shown.order.ids.length - 1;
  if (!shown.order) { state.step = -1; state.axis = "time"; }
  layOutAgain();
}

function layOutAgain() {
  shown.layout = layOut(shown.set, state.axis, shown.order, state.hidden, shown.marks);
  shown.density = null;
  if (state.selected !== null && shown.layout.rowOf(state.selected) < 0) state.selected = null;
  changed();
}

function extent() { return Math.max(1, shown.layout.bars.extent); }

/** Moves the window, and keeps it near the operations. */
function look(x0, x1) {
  const margin = Math.max(0.5, Math.min(extent(), x1 - x0) * 0.03);
  const low = -margin, high = extent() + margin;
  let span = Math.min(Math.max(x1 - x0, 1.5), high - low);
  let from = Math.min(Math.max(x0, low), high - span);
  state.x0 = from;
  state.x1 = from + span;
  changed();
}

function zoom(factor, at = (state.x0 + state.x1) / 2) {
  const span = Math.min(Math.max((state.x1 - state.x0) * factor, 1.5), extent() * 1.04 + 1);
  const share = (at - state.x0) / (state.x1 - state.x0);
  look(at - share * span, at - share * span + span);
}

function pan(share) {
  const by = (state.x1 - state.x0) * share;
  look(state.x0 + by, state.x1 + by);
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");
let flight = 0;
/** Moves to a window with an animation. */
function glide(x0, x1) {
  const from = [state.x0, state.x1], ticket = ++flight;
  if (calm.matches) return look(x0, x1);
  const begin = performance.now();
  const tick = (now) => {
    if (ticket !== flight) return;
    const t = Math.min(1, (now - begin) / 220), ease = 1 - (1 - t) ** 3;
    look(from[0] + (x0 - from[0]) * ease, from[1] + (x1 - from[1]) * ease);
    if (t < 1) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

const MAX_FRAMED = 60;
/** A window with the core, the failing operation, and a margin. */
function failureWindow() {
  const { marks, layout } = shown;
  const ids = [...marks.core];
  if (marks.failing !== null) ids.push(marks.failing);
  const seen = ids.filter((i) => layout.rowOf(i) >= 0);
  if (seen.length === 0) return null;
  let low = Infinity, high = 0;
  // A large core does not fit; show only its failing operation.
  const few = seen.length > MAX_FRAMED && layout.rowOf(marks.failing) >= 0 ? [marks.failing] : seen;
  for (const i of few) {
    low = Math.min(low, layout.bars.start[i]);
    high = Math.max(high, layout.bars.end[i] === Infinity ? layout.bars.start[i] + 2 : layout.bars.end[i]);
  }
  // Add a margin. Small histories are shown whole.
  const room = Math.max(1.5, (high - low) * 0.12, (Math.min(extent(), 28) - (high - low)) / 2);
  return [low - room, high + room];
}

function showFailure(animate = true) {
  const window = failureWindow();
  if (!window) return;
  (animate ? glide : look)(...window);
  if (shown.marks.failing !== null) scrollTo(shown.marks.failing);
}

/** The initial window: the failure if there is one, else everything. */
function firstWindow() {
  if (failureWindow()) return showFailure(false);
  look(0, extent());
}

/** Scrolls and zooms until an operation is visible. */
function reveal(i) {
  const { layout } = shown;
  if (layout.rowOf(i) < 0) return;
  const start = layout.bars.start[i], end = Math.min(layout.bars.end[i], start + 1e9);
  const span = state.x1 - state.x0, length = layout.bars.end[i] === Infinity ? 4 : end - start;
  if (length / span * canvas.clientWidth < 8) {
    // Too small at this zoom.
    const half = Math.max(15, length * 6);
    glide(start - half, start + half);
  } else if (start < state.x0 || start > state.x1 - span * 0.05 || (end > state.x1 && end - start < span)) {
    const middle = layout.bars.end[i] === Infinity ? start + span * 0.2 : (start + end) / 2;
    const half = Math.max(span, (Math.min(end, start + span) - start) * 1.2) / 2;
    glide(middle - half, middle + half);
  }
  scrollTo(i);
}

function scrollTo(i) {
  const row = shown.layout.rowOf(i);
  if (row < 0) return;
  const scene = sceneNow();
  const room = scene.height - topOf(scene) - 8;
  const top = row * scene.laneHeight;
  if (top < state.scroll) state.scroll = top;
  else if (top + scene.laneHeight > state.scroll + room) state.scroll = top + scene.laneHeight - room;
  changed();
}

function select(i) {
  state.selected = i;
  changed();
}

/** Goes to a step of the order; -1 is before the first step. */
function goToStep(step) {
  if (!shown.order) return;
  state.step = Math.max(-1, Math.min(shown.order.ids.length - 1, step));
  if (state.step >= 0) {
    const i = shown.order.ids[state.step];
    select(i);
    reveal(i);
  }
  changed();
}

function setAxis(axis) {
  if (axis === state.axis || (axis === "order" && !shown.order)) return;
  const anchor = state.selected;
  state.axis = axis;
  layOutAgain();
  if (anchor !== null && shown.layout.rowOf(anchor) >= 0) {
    const span = Math.min(extent(), axis === "order" ? 14 : 30), at = shown.layout.bars.start[anchor];
    look(at - span / 2, at + span / 2);
  } else if (failureWindow() && axis === "time") showFailure(false);
  else if (axis === "order" && shown.marks.failing !== null) {
    // Show the end of the order, where it stops.
    const end = shown.layout.bars.placed;
    look(Math.max(-0.5, end - 9), Math.min(end + 5, extent() + 0.5));
  } else look(0, extent());
}

function gutterWidth(width) {
  let longest = 6;
  const seen = new Set();
  for (const lane of shown.layout.lanes) {
    if (!seen.has(lane.client)) { seen.add(lane.client); longest = Math.max(longest, clientName(lane.client).length); }
  }
  for (const lane of faultLanes) longest = Math.max(longest, lane.name.length);
  return Math.round(Math.min(longest * 6.9 + 22, width < 700 ? 96 : 170));
}

function sceneNow() {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const gutter = gutterWidth(width);
  const scene = {
    ...shown, width, height, gutter, faultLanes: state.axis === "time" ? faultLanes : [],
    axis: state.axis, x0: state.x0, scale: (width - gutter) / (state.x1 - state.x0),
    selected: state.selected, step: state.step, scroll: 0,
  };
  scene.laneHeight = laneHeight(scene);
  const total = scene.layout.lanes.length * scene.laneHeight + topOf(scene) + 8;
  scene.overflow = Math.max(0, total - height);
  scene.scroll = state.scroll = Math.max(0, Math.min(state.scroll, scene.overflow));
  scene.total = total;
  return scene;
}

function fitCanvas(element) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(element.clientWidth * ratio), h = Math.round(element.clientHeight * ratio);
  if (element.width !== w || element.height !== h) { element.width = w; element.height = h; }
  const context = element.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function drawMap(scene) {
  const context = fitCanvas(map), p = new CanvasPainter(context);
  const w = map.clientWidth, h = map.clientHeight, slices = Math.max(1, Math.floor(w / 2));
  if (!shown.density || shown.density.length !== slices) shown.density = densityOf(shown.layout, slices);
  const at = (x) => (x / extent()) * w;
  p.rect(0, 0, w, h, { fill: "raised" });
  shown.density.forEach((share, k) => {
    if (share > 0) {
      const tall = 3 + share * (h - 14);
      p.rect(k * 2, h - 4 - tall, 2, tall, { fill: "dense", alpha: 0.55 });
    }
  });
  const tick = (i, fill) => {
    if (scene.layout.rowOf(i) >= 0) p.rect(at(scene.layout.bars.start[i]) - 1, 2, 3, h - 4, { fill });
  };
  for (const i of shown.hits.slice(0, 5000)) tick(i, "hit");
  if (shown.marks.core.size <= MAX_MARKS) for (const i of shown.marks.core) tick(i, "core");
  if (shown.marks.failing !== null) tick(shown.marks.failing, "bad");
  if (state.selected !== null) tick(state.selected, "select");
  if (state.axis === "time") for (const lane of faultLanes) for (const fault of lane.items) p.rect(at(fault.x), 0, 1.5, 6, { fill: "fault" });
  const left = at(state.x0), right = at(state.x1);
  p.rect(0, 0, Math.max(0, left), h, { fill: "ground", alpha: 0.6 });
  p.rect(right, 0, Math.max(0, w - right), h, { fill: "ground", alpha: 0.6 });
  p.rect(left + 1, 1, Math.max(4, right - left - 2), h - 2, { stroke: "select", width: 1.5, radius: 3 });
}

let waiting = false;
const listeners = [];
/** Schedules a redraw. */
function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    render();
  });
}

let firstPaint = 0;
function render() {
  if (!shown.layout) return;
  const scene = sceneNow();
  drawScene(new CanvasPainter(fitCanvas(canvas)), scene);
  drawMap(scene);
  for (const listener of listeners) listener(scene);
  if (!firstPaint) {
    firstPaint = performance.now();
    document.documentElement.dataset.painted = firstPaint.toFixed(1);
  }
}
