// Faults and other events that are not operations: in lanes of their own above the others, or in the lane of a client.

const faults = facts.annotations.map(([lane, text, from, to, begin, finish, client, color, line]) =>
  ({ lane, text, from, to, begin, finish, client: client === null ? 0 : clientNumbers.get(client) || 0, color: color || "fault", line }));
faults.sort((a, b) => a.from - b.from);
const MAX_FAULT_ROWS = 4;
/** The upper edge of a lane, in which the pointer finds an event rather than an operation, in pixels. */
const NOTE_EDGE = 8;

/** Finds the places of all events, and returns those that are not in the lane of a client in rows. Those of a lane that overlap get rows of their own. */
function placeFaults(set, axis, layout) {
  const rows = new Map(), owners = new Set(layout.all.map((lane) => lane.owner));
  shown.notes = new Map();
  for (const fault of faults) {
    const place = (after, tick) => {
      const x = placeOfMoment(set, after);
      return axis !== "clock" ? x : tick ?? toClock(set, x);
    };
    fault.x = place(fault.from, fault.begin);
    fault.end = fault.to === null ? fault.x : Math.max(fault.x, place(fault.to, fault.finish));
    const owner = ownerOf(fault.client);
    if (fault.client && owners.has(owner)) {
      if (!shown.notes.has(owner)) shown.notes.set(owner, []);
      shown.notes.get(owner).push(fault);
      continue;
    }
    if (!rows.has(fault.lane)) rows.set(fault.lane, []);
    const lane = rows.get(fault.lane);
    let row = lane.find((row) => row.free <= fault.x);
    if (!row && lane.length < MAX_FAULT_ROWS) lane.push(row = { name: lane.length ? "" : fault.lane, items: [], free: -Infinity });
    row ||= lane[lane.length - 1];
    row.items.push(fault);
    row.free = Math.max(row.free, fault.end);
  }
  return [...rows.values()].flat();
}

/** Draws the events of a client in its first lane: a stripe along its upper edge, and the text where no bar is. */
function drawNotes(p, scene, lane, y) {
  let last = -Infinity;
  for (const note of scene.notes.get(lane.owner) || []) {
    const x = toPixel(scene, note.x), end = toPixel(scene, note.end), fill = note.color;
    if (end < scene.gutter || x > scene.width || (note.to === null && x - last < 1)) continue;
    last = x;
    if (note.to === null) {
      p.lines([[x, y + 1], [x, y + scene.laneHeight - 1]], { stroke: fill, width: 1.5, alpha: 0.5 });
      p.dot(x, y + 4, 4, { fill, stroke: "ground" });
    } else {
      p.rect(x, y + 1, Math.max(3, end - x), scene.laneHeight - 2, { fill, alpha: 0.12 });
      p.rect(x, y, Math.max(3, end - x), 4, { fill, radius: 1 });
    }
    const text = cut(note.text, freeAfter(scene, lane, note) - 12, 11);
    if (text) p.text(Math.max(x, scene.gutter) + 8, y + scene.laneHeight / 2, text, { fill: "ink", size: 11 });
  }
}

/** The room for the text of an event of a client: up to the next bar and the next event. */
function freeAfter(scene, lane, note) {
  const k = firstAbove(lane.start, note.x), from = Math.max(toPixel(scene, note.x), scene.gutter);
  // The label of a short bar may follow it.
  if (k > 0 && toPixel(scene, lane.end[k - 1]) + 160 > from) return 0;
  const all = scene.notes.get(lane.owner), next = all[all.indexOf(note) + 1];
  const ends = [k < lane.count ? toPixel(scene, lane.start[k]) : Infinity, next ? toPixel(scene, next.x) : Infinity, scene.width];
  return Math.min(...ends) - from;
}

/** The event under a point of the canvas; `edge` is how far from the upper edge of a lane those of clients are looked for. */
function faultAt(scene, px, py, edge = Infinity) {
  if (px < scene.gutter || py < AXIS) return null;
  const row = scene.faultRows[Math.floor((py - AXIS) / FAULT_LANE)];
  const near = (fault) => px >= toPixel(scene, fault.x) - 6 && px <= toPixel(scene, fault.end) + 6;
  if (row) return row.items.find(near) || null;
  const number = Math.floor((py - rowTop(scene, 0)) / scene.laneHeight), lane = scene.layout.lanes[number];
  if (py < topOf(scene) || !lane || !lane.isFirst || py - rowTop(scene, number) > edge) return null;
  return (scene.notes.get(lane.owner) || []).findLast(near) || null;
}

/** When a fault was, and for how long. */
function faultText(fault) {
  const ended = fault.to !== null && fault.to < facts.events;
  const events = fault.to === null ? `after event ${fault.from}` : `from event ${fault.from} to ${ended ? fault.to : "the end"}`;
  if (!clock || fault.begin === null) return events;
  return `at ${durationText(fault.begin)}${fault.finish === null ? "" : ` for ${durationText(fault.finish - fault.begin)}`}, ${events}`;
}

/** What the panel says about an event. */
function faultDetails(fault) {
  const list = el("dl");
  const fact = (name, text) => { if (text) list.append(el("dt", {}, name), el("dd", {}, text)); };
  fact(fault.client ? "Client" : "Lane", fault.lane);
  fact("When", faultText(fault));
  if (clock && fault.begin !== null) fact("Clock", readingText(fault.begin));
  if (clock && fault.begin !== null) fact("Date", dateText(fault.begin));
  fact("Line", fault.line ? String(fault.line) : "");
  return [el("h2", {}, fault.text), list];
}
