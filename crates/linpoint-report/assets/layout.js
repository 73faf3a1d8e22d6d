// Assigns operations to lanes. The bars of a lane are sorted and do not overlap. Prefix sums of their lengths make
// the time to draw a lane depend on the number of pixels only.

const MAX_LANES_A_CLIENT = 120;
const FEW_CLIENTS = 12;
const MAX_CORE = 1000;
const byName = new Intl.Collator("en", { numeric: true }).compare;

/** The outcome of an operation, as an index. */
const OUTCOMES = ["core", "ok", "unknown", "pending"];
function outcomeOf(set, i, marks) {
  if (marks.core.has(i) || marks.failing === i) return 0;
  if (set.ret[i] === NEVER) return 3;
  return set.unknown[i] ? 2 : 1;
}

function isHidden(set, i, filter, marks) {
  return filter.clients.has(set.client[i]) || filter.kinds.has(set.kind[i]) ||
    (set.object[i] && filter.objects.has(set.object[i])) ||
    (filter.outcomes.size > 0 && filter.outcomes.has(outcomeOf(set, i, marks)));
}

/** The position of each operation in an order; -1 if it is not in it. */
function placesIn(set, order) {
  const places = new Int32Array(set.n).fill(-1);
  if (order) for (let k = 0; k < order.ids.length; k++) places[order.ids[k]] = k;
  return places;
}

/**
 * Points on the real-time axis at which the steps of an order can take effect: after the latest call so far,
 * evenly spread before the next event. If the order respects real time, each point is inside its bar.
 */
function pointsOf(set, order) {
  const points = new Float64Array(order.ids.length);
  let from = 0, latest = 0;
  const spread = (to) => {
    for (let k = from; k < to; k++) points[k] = latest + (k - from + 1) / (to - from + 1);
    from = to;
  };
  for (let k = 0; k < order.ids.length; k++) {
    const call = set.from[order.ids[k]];
    if (call > latest) { spread(k); latest = call; }
  }
  spread(order.ids.length);
  return points;
}

/** The sequence in which bars are laid out, with the start and end of each. */
function barsOf(set, axis, order) {
  const n = set.n;
  if (axis === "clock") {
    const end = set.until.map((tick, i) => (set.to[i] === NEVER ? Infinity : tick));
    const moments = momentsOf(set), first = moments[0] || 0;
    return { sequence: null, start: set.at, end, first, extent: Math.max(first + 1, moments[moments.length - 1] || 0), placed: n };
  }
  if (axis !== "order" || !order) {
    const end = new Float64Array(n);
    for (let i = 0; i < n; i++) end[i] = set.to[i] === NEVER ? Infinity : set.to[i];
    return { sequence: null, start: Float64Array.from(set.from), end, first: 0, extent: set.extent, placed: n };
  }
  const start = new Float64Array(n), end = new Float64Array(n), sequence = new Uint32Array(n);
  const places = placesIn(set, order);
  let next = 0;
  for (const i of order.ids) {
    start[i] = next + 0.06;
    end[i] = next + 0.94;
    sequence[next++] = i;
  }
  // Operations that are not in the order follow it after a gap.
  for (let i = 0; i < n; i++) {
    if (places[i] >= 0) continue;
    start[i] = next + 1.06;
    end[i] = next + 1.94;
    sequence[next++] = i;
  }
  const placed = order.ids.length;
  return { sequence, start, end, first: 0, extent: placed < n ? n + 1 : n, placed };
}

/** All lanes from top to bottom, without hidden operations. */
function layOut(set, axis, order, filter, marks) {
  const bars = barsOf(set, axis, order);
  const lanesOf = new Map();
  const laneOf = new Int32Array(set.n).fill(-1);
  const all = [];
  let shown = 0;
  for (let k = 0; k < set.n; k++) {
    const i = bars.sequence ? bars.sequence[k] : k;
    if (isHidden(set, i, filter, marks)) continue;
    shown++;
    const owner = ownerOf(set.client[i]);
    let lanes = lanesOf.get(owner);
    if (!lanes) lanesOf.set(owner, lanes = []);
    let lane = lanes.find((lane) => lane.free <= bars.start[i]);
    if (!lane) {
      if (lanes.length < MAX_LANES_A_CLIENT) {
        lane = { owner, number: all.length, count: 0, free: 0, row: -1 };
        lanes.push(lane);
        all.push(lane);
      } else {
        lane = lanes.reduce((a, b) => (a.free <= b.free ? a : b));
      }
    }
    // A pending bar fades out; others may follow it in the same lane.
    lane.free = bars.end[i] === Infinity ? bars.start[i] + (axis === "clock" ? 0 : 1) : bars.end[i];
    lane.count++;
    laneOf[i] = lane.number;
  }
  for (const lane of all) {
    lane.items = new Uint32Array(lane.count);
    lane.start = new Float64Array(lane.count);
    lane.end = new Float64Array(lane.count);
    lane.busy = new Float64Array(lane.count + 1);
    lane.count = 0;
  }
  for (let k = 0; k < set.n; k++) {
    const i = bars.sequence ? bars.sequence[k] : k;
    if (laneOf[i] < 0) continue;
    const lane = all[laneOf[i]];
    const at = lane.count++;
    lane.items[at] = i;
    lane.start[at] = bars.start[i];
    // A pending bar ends where the next one starts, if any.
    lane.end[at] = bars.end[i];
    if (at > 0 && lane.end[at - 1] > lane.start[at]) lane.end[at - 1] = lane.start[at];
    const length = Math.min(bars.end[i], bars.start[i] + 1e9) - bars.start[i];
    lane.busy[at + 1] = lane.busy[at] + (bars.end[i] === Infinity ? 1 : length);
  }
  const distance = lanesOf.size > FEW_CLIENTS ? distances(set, bars, lanesOf, marks) : new Map();
  const sorted = [...lanesOf.keys()].sort((a, b) =>
    (distance.get(a) ?? 0) - (distance.get(b) ?? 0) || (!a - !b) || byName(clientName(a), clientName(b)));
  const lanes = sorted.flatMap((owner) => lanesOf.get(owner));
  return {
    // `chooseLanes` chooses those that are drawn, and numbers their rows.
    all: lanes, lanes: [], blank: 0, bars, shown,
    has: (i) => laneOf[i] >= 0,
    laneOf: (i) => all[laneOf[i]],
    rowOf: (i) => (laneOf[i] < 0 ? -1 : all[laneOf[i]].row),
  };
}

/**
 * For more clients than fit on a screen: 0 for those whose operations contradict each other, 1 for those that did
 * something meanwhile, 2 for all others.
 */
function distances(set, bars, lanesOf, marks) {
  const distance = new Map();
  // Nearly everything contradicts each other in a core that was not minimised.
  const core = marks.core.size > MAX_CORE ? [...marks.named] : [...marks.core];
  if (marks.failing !== null) core.push(marks.failing);
  if (core.length === 0 || core.length > MAX_CORE) return distance;
  const begin = Math.min(...core.map((i) => bars.start[i]));
  const end = Math.max(...core.map((i) => (bars.end[i] === Infinity ? bars.start[i] : bars.end[i])));
  for (const [owner, lanes] of lanesOf) {
    const meanwhile = lanes.some((lane) => {
      const next = firstAbove(lane.end, begin);
      return next < lane.count && lane.start[next] <= end;
    });
    distance.set(owner, meanwhile ? 1 : 2);
  }
  for (const i of core) distance.set(ownerOf(set.client[i]), 0);
  return distance;
}

/** The first index in a sorted column whose value is greater than `x`. */
function firstAbove(column, x, from = 0, to = column.length) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (column[middle] > x) to = middle; else from = middle + 1;
  }
  return from;
}

/** The same, for an index that is probably near `from`. */
function firstAboveFrom(column, x, from) {
  let reach = 1;
  while (from + reach < column.length && column[from + reach] <= x) reach *= 2;
  return firstAbove(column, x, from + (reach >> 1), Math.min(from + reach + 1, column.length));
}

/** The number of bars that start in each slice of the axis, relative to the largest. */
function densityOf(layout, slices) {
  const counts = new Float64Array(slices);
  const { first, extent } = layout.bars;
  const scale = slices / Math.max(1, extent - first);
  for (const lane of layout.all) {
    for (let k = 0; k < lane.count; k++) {
      counts[Math.min(slices - 1, Math.floor((lane.start[k] - first) * scale))]++;
    }
  }
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return counts.map((count) => count / most);
}
