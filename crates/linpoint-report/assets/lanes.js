// Which operations share a lane, and which lanes are drawn. A client that continues one that has ended shares its lane (see
// html/lanes.rs). If not all lanes fit on the screen, those without an operation in the window are left out.

/** Lanes of at least this height, in pixels, are no reason to leave some out. */
const ROOMY = 24;

/** The first client of the chain that each client continues. */
const firstOf = new Uint32Array(facts.clients.length + 1);
for (let client = 0; client < firstOf.length; client++) {
  let first = client;
  for (let k = 0; k < firstOf.length && facts.continues.length && facts.continues[first] !== first; k++) first = facts.continues[first];
  firstOf[client] = first;
}
const hasChains = facts.continues.length > 0;

/** Lanes are of clients, or of chains of clients. */
function ownerOf(client) { return hasChains && !state.unfolded ? firstOf[client] : client; }

const clientNumbers = new Map(facts.clients.map((name, k) => [name, k + 1]));

/** Operations that did not happen, by the lane of their client: those of the part that is shown. */
function placeFailed(set, axis) {
  const byOwner = new Map();
  if (axis === "order" || set.n === 0) return byOwner;
  const object = set.object[0] ? facts.objects[set.object[0] - 1] : null;
  for (const [op, client, of, from, to, begin, end, line, remark] of facts.failed) {
    // Without objects, it is not known to which part one belongs.
    if (!set.part && parts.length > 1 && (of === null || of !== object)) continue;
    const place = (after, tick) => (axis === "clock" ? tick ?? toClock(set, placeOfMoment(set, after)) : placeOfMoment(set, after));
    const number = clientNumbers.get(client) || 0, x = place(from, begin), owner = ownerOf(number);
    if (!byOwner.has(owner)) byOwner.set(owner, []);
    byOwner.get(owner).push({ op, client, line, remark, from, x, end: Math.max(x, place(to, end)), begin, finish: end });
  }
  for (const list of byOwner.values()) list.sort((a, b) => a.x - b.x);
  return byOwner;
}

/** The places of a lane at which another client goes on. */
function changesOf(set, lane) {
  if (lane.changes) return lane.changes;
  lane.changes = [];
  let last = -1;
  for (let k = 0; k < lane.count; k++) {
    const client = set.client[lane.items[k]];
    if (client !== last) lane.changes.push({ x: lane.start[k], client: last = client });
  }
  return lane.changes;
}

/** The name of a lane: that of the clients in the window. */
function laneName(scene, lane) {
  const changes = hasChains && !state.unfolded ? changesOf(scene.set, lane) : [];
  if (changes.length < 2) return clientName(changes.length ? changes[0].client : lane.owner);
  const seen = changes.filter(({ x }, k) => x <= scene.x1 && (k + 1 === changes.length || changes[k + 1].x > scene.x0));
  const [first, ...others] = (seen.length ? seen : changes.slice(0, 1)).map(({ client }) => clientName(client));
  const last = others.at(-1);
  const digits = last && /\d+$/.exec(last);
  return !last ? first : `${first} ${others.length > 1 ? "…" : "→"} ${digits ? digits[0] : last}`;
}

/** True if nothing of a lane is in the window. An operation that was called before and never returned is not enough. */
function isBlank(scene, lane) {
  const { layout, marks, places, selected } = scene;
  let k = firstAbove(lane.end, scene.x0);
  if (k >= lane.count || lane.start[k] > scene.x1) return true;
  const i = lane.items[k], isOld = layout.bars.end[i] === Infinity && lane.start[k] < scene.x0;
  if (!isOld || marks.core.has(i) || marks.failing === i || selected === i || places[i] >= 0) return false;
  return k + 1 >= lane.count || lane.start[k + 1] > scene.x1;
}

/** Chooses the lanes that are drawn, and gives each its row. */
function chooseLanes(scene) {
  const { layout } = scene, { all } = layout;
  const fits = (scene.height - topOf(scene) - 6) / Math.max(1, all.length) >= ROOMY;
  let lanes = all;
  layout.blank = 0;
  if (!fits) {
    const filled = all.filter((lane) => !isBlank(scene, lane));
    layout.blank = all.length - filled.length;
    if (!state.blank && filled.length) lanes = filled;
  }
  for (const lane of all) lane.row = -1;
  lanes.forEach((lane, row) => { lane.row = row; lane.isFirst = row === 0 || lanes[row - 1].owner !== lane.owner; });
  layout.lanes = lanes;
}
