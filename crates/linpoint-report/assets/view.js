// The view and the loop that draws it. `state` has everything that a link must restore; everything else is
// computed from it.

const canvas = $("canvas"), map = $("map");

const ALL = -1;
const state = {
  part: 0, axis: "time", x0: 0, x1: 1, scroll: 0,
  selected: null, order: 0, compare: null, step: -1, query: "",
  hidden: { clients: new Set(), kinds: new Set(), objects: new Set(), outcomes: new Set() },
  tab: "verdict", panel: true,
  // Whether every client has a lane of its own, and whether lanes are drawn that are blank.
  unfolded: false, blank: false,
};

/** The operations of the part that is shown, and values computed from them. */
const shown = {
  set: null, marks: null, layout: null, order: null, points: null, places: null,
  compare: null, comparePoints: null, density: null, hits: [], explanation: null, faultRows: [], failed: new Map(),
  // Events in the lanes of clients, and the event whose details are shown.
  notes: new Map(), fault: null,
  // The operation under the pointer, and the order that gets furthest with it or with the selected one.
  hovered: null, preview: null, previewPoints: null,
};

/** The operation that is kept in view. */
let followed = null;

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
  followed = null;
  shown.set = parts.length ? setOf(part) : { n: 0, orders: [], remarks: new Map(), from: [], to: [], at: [], until: new Float64Array(0), extent: 1, ranks: null };
  // The view of all parts shows all cores, and the first failure.
  const { set } = shown;
  const reasons = facts.explanations.filter((e) => e.part === part || set.part || parts.length === 1);
  const place = (e, i) => (set.part ? set.placeOf(e.part, i) : i);
  const why = shown.explanation = reasons[0] || null;
  shown.marks = {
    core: new Set(reasons.flatMap((e) => e.core.map((i) => place(e, i)))),
    failing: why && why.failing !== null ? place(why, why.failing) : null,
    named: why ? why.named.map((i) => place(why, i)) : [],
  };
  state.selected = shown.hovered = shown.fault = null;
  chooseOrder(bestOrder(), null);
}

/** The first order without the failing operation: its last state is the most informative. */
function bestOrder() {
  const { set, marks, explanation } = shown;
  const most = explanation ? explanation.orders.partials : Infinity;
  const best = set.orders.findIndex((order, k) => k < most && (marks.failing === null || !order.ids.includes(marks.failing)));
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
  shown.places = placesIn(set, shown.order);
  if (shown.order && state.step >= shown.order.ids.length) state.step = shown.order.ids.length - 1;
  if (!shown.order) { state.step = -1; if (state.axis === "order") state.axis = "time"; }
  layOutAgain();
}

/** The points of an order on the axis that is shown. */
function pointsOn(order) {
  const { set } = shown, points = order && pointsOf(set, order);
  return points && state.axis === "clock" ? points.map((x) => toClock(set, x)) : points;
}

/** The operation whose place in the orders is shown: the one under the pointer, else the selected one. */
function focused() { return shown.hovered ?? state.selected; }

/** The order that gets furthest with that operation is drawn beside the one that is followed. */
function preview() {
  const i = focused(), number = shown.explanation && i !== null ? orderOf(i)[0] : null;
  const order = number === null || number === state.order ? null : shown.set.orders[number];
  // The pointer moves from one operation of an order to the next.
  if (order && order === shown.preview) return;
  shown.preview = order;
  shown.previewPoints = pointsOn(order);
}

/** The panel must not jump while the pointer crosses the gap between two bars. */
const LINGER = 200;
let leaving = 0;
/** Shows of an operation what selecting it would show, and selects nothing; null: the pointer is on none. */
function hover(i) {
  clearTimeout(leaving);
  if (i === shown.hovered) return;
  const show = () => { shown.hovered = i; preview(); changed(); };
  if (i === null) leaving = setTimeout(show, LINGER); else show();
}

function layOutAgain() {
  const { set, order, compare } = shown;
  shown.points = pointsOn(order);
  shown.comparePoints = pointsOn(compare);
  shown.failed = placeFailed(set, state.axis);
  shown.layout = layOut(set, state.axis, order, state.hidden, shown.marks);
  shown.notes = new Map();
  shown.faultRows = state.axis === "order" ? [] : placeFaults(set, state.axis, shown.layout);
  shown.density = null;
  if (state.selected !== null && !shown.layout.has(state.selected)) state.selected = null;
  shown.hovered = shown.preview = null;
  preview();
  changed();
}

/** The begin, the end, and the length of the axis. */
function axisStart() { return shown.layout.bars.first; }
function extent() { return Math.max(axisStart() + 1, shown.layout.bars.extent); }
function axisLength() { return extent() - axisStart(); }
function showAll() { glide(axisStart(), extent()); }

/** The length of a number of events around an operation, on the axis that is shown. */
function lengthOf(events, i) {
  const { set } = shown;
  if (state.axis !== "clock") return events;
  return Math.max(1.5, toClock(set, set.from[i] + events / 2) - toClock(set, set.from[i] - events / 2));
}

/** Moves the window, and keeps it near the operations. */
function look(x0, x1) {
  const margin = Math.max(0.5, Math.min(axisLength(), x1 - x0) * 0.03);
  // Labels follow bars that are too short for them, so there is more room after the last one.
  const low = axisStart() - margin, high = extent() + margin + Math.min(axisLength(), x1 - x0) * 0.08;
  let span = Math.min(Math.max(x1 - x0, 1.5), high - low);
  let from = Math.min(Math.max(x0, low), high - span);
  state.x0 = from;
  state.x1 = from + span;
  changed();
}

function zoom(factor, at = (state.x0 + state.x1) / 2) {
  const span = Math.min(Math.max((state.x1 - state.x0) * factor, 1.5), axisLength() * 1.12 + 1);
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
/** A window with the core has at most this many events; else it has those around the failing return. */
const MAX_WINDOW = 120;
/** A window with the core, the failing operation, and a margin. */
function failureWindow() {
  const { set, marks, layout } = shown;
  // What the sentence names says it all; the rest of the core may be anywhere.
  const ids = marks.named.length ? [...marks.named] : [...marks.core];
  if (marks.failing !== null) ids.push(marks.failing);
  const seen = ids.filter((i) => layout.has(i));
  if (seen.length === 0) return null;
  let low = Infinity, high = 0;
  // A large core does not fit; show only its failing operation.
  const few = seen.length > MAX_FRAMED && layout.has(marks.failing) ? [marks.failing] : seen;
  // On the axis of time, the window has the same events as on that of events.
  const ofEvents = state.axis !== "order";
  const start = (i) => (ofEvents ? set.from[i] : layout.bars.start[i]);
  const end = (i) => (set.to[i] === NEVER && ofEvents ? start(i) + 2 : ofEvents ? set.to[i] : layout.bars.end[i]);
  for (const i of few) {
    low = Math.min(low, start(i));
    high = Math.max(high, end(i));
  }
  const all = ofEvents ? set.extent : extent();
  // A window much longer than the failing operation would show that as a dot.
  if (ofEvents && few.length > 1 && marks.failing !== null && layout.has(marks.failing) && high - low > MAX_WINDOW) {
    low = Math.max(low, Math.min(start(marks.failing), end(marks.failing) - 32));
    high = Math.min(high, end(marks.failing) + 8);
  }
  // Add a margin. Small histories are shown whole.
  const room = Math.max(1.5, (high - low) * 0.12, (Math.min(all + 1, 28) - (high - low)) / 2);
  if (state.axis !== "clock") return [low - room, high + room];
  const from = toClock(set, low - room), to = Math.max(from + 1.5, toClock(set, high + room));
  return [from - (to - from) * 0.03, to + (to - from) * 0.03];
}

function showFailure(animate = true) {
  const window = failureWindow();
  if (!window) return;
  (animate ? glide : look)(...window);
  follow(shown.marks.failing);
}

/** The initial window: the failure if there is one, else everything. */
function firstWindow() {
  if (failureWindow()) return showFailure(false);
  look(axisStart(), extent());
}

/** Scrolls and zooms until an operation is visible. */
function reveal(i) {
  const { layout } = shown;
  if (!layout.has(i)) return;
  const start = layout.bars.start[i], end = Math.min(layout.bars.end[i], start + 1e15);
  const span = state.x1 - state.x0, wide = layout.bars.end[i] === Infinity ? lengthOf(4, i) : end - start;
  if (wide / span * canvas.clientWidth < 8 && span > lengthOf(30, i)) {
    // Too small at this zoom.
    const half = Math.max(lengthOf(30, i) / 2, wide * 6);
    glide(start - half, start + half);
  } else if (start < state.x0 || start > state.x1 - span * 0.05 || (end > state.x1 && end - start < span)) {
    const middle = layout.bars.end[i] === Infinity ? start + span * 0.2 : (start + end) / 2;
    const half = Math.max(span, (Math.min(end, start + span) - start) * 1.2) / 2;
    glide(middle - half, middle + half);
  }
  follow(i);
}

/** Keeps an operation in view, also while the window moves and its lane with it, until the user scrolls. */
function follow(i) {
  followed = i;
  changed();
}

function scroll(by) {
  followed = null;
  state.scroll += by;
  changed();
}

/** Scrolls so that the lane of the operation that is followed is in view. */
function scrollToFollowed(scene) {
  const row = followed === null ? -1 : scene.layout.rowOf(followed);
  if (row < 0) return;
  const room = scene.height - topOf(scene) - 8, top = row * scene.laneHeight;
  if (top < state.scroll) state.scroll = top;
  else if (top + scene.laneHeight > state.scroll + room) state.scroll = top + scene.laneHeight - room;
}

function select(i, fault = null) {
  state.selected = i;
  shown.fault = fault;
  preview();
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
  if (axis === "clock" && !clock) axis = "time";
  if (axis === state.axis || (axis === "order" && !shown.order)) return;
  const anchor = state.selected, before = state.axis, { set } = shown, window = [state.x0, state.x1];
  state.axis = axis;
  layOutAgain();
  if (before !== "order" && axis !== "order") {
    // The same events stay in the window.
    const to = axis === "clock" ? toClock : fromClock;
    return look(...window.map((x) => to(set, x)));
  }
  if (anchor !== null && shown.layout.has(anchor)) {
    const span = Math.min(axisLength(), axis === "order" ? 14 : lengthOf(30, anchor)), at = shown.layout.bars.start[anchor];
    look(at - span / 2, at + span / 2);
    follow(anchor);
  } else if (failureWindow() && axis !== "order") showFailure(false);
  else if (axis === "order" && shown.marks.failing !== null) {
    // Show the end of the order, where it stops.
    const end = shown.layout.bars.placed;
    look(Math.max(-0.5, end - 9), Math.min(end + 5, extent() + 0.5));
  } else look(axisStart(), extent());
}

/** Switches between lanes of clients and lanes of clients that continue each other. */
function setFolded(folded) {
  state.unfolded = !folded;
  layOutAgain();
}

function setBlank(blank) {
  state.blank = blank;
  changed();
}

function gutterWidth(width) {
  let longest = 6;
  const seen = new Set();
  for (const lane of shown.layout.all) {
    if (!seen.has(lane.owner)) { seen.add(lane.owner); longest = Math.max(longest, clientName(lane.owner).length + (hasChains && !state.unfolded ? 5 : 0)); }
  }
  for (const row of shown.faultRows) longest = Math.max(longest, row.name.length);
  return Math.round(Math.min(longest * 6.9 + 22, width < 700 ? 96 : 170));
}

function sceneNow() {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const gutter = gutterWidth(width);
  const scene = {
    ...shown, width, height, gutter,
    axis: state.axis, x0: state.x0, x1: state.x1, scale: (width - gutter) / (state.x1 - state.x0),
    selected: state.selected, step: state.step, scroll: 0,
  };
  chooseLanes(scene);
  scene.laneHeight = laneHeight(scene);
  const total = scene.layout.lanes.length * scene.laneHeight + topOf(scene) + 8;
  scene.overflow = Math.max(0, total - height);
  scrollToFollowed(scene);
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
  const at = (x) => ((x - axisStart()) / axisLength()) * w;
  p.rect(0, 0, w, h, { fill: "raised" });
  shown.density.forEach((share, k) => {
    if (share > 0) {
      const tall = 3 + share * (h - 14);
      p.rect(k * 2, h - 4 - tall, 2, tall, { fill: "dense", alpha: 0.55 });
    }
  });
  const tick = (i, fill) => {
    if (scene.layout.has(i)) p.rect(at(scene.layout.bars.start[i]) - 1, 2, 3, h - 4, { fill });
  };
  for (const i of shown.hits.slice(0, 5000)) tick(i, "hit");
  if (shown.marks.core.size <= MAX_MARKS) for (const i of shown.marks.core) tick(i, "core");
  if (shown.marks.failing !== null) tick(shown.marks.failing, "bad");
  if (state.selected !== null) tick(state.selected, "select");
  for (const { items } of shown.faultRows) for (const { x, end, color } of items) p.rect(at(x), 0, Math.max(1.5, at(end) - at(x)), 6, { fill: color, alpha: 0.6 });
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
