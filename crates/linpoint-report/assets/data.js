// Decodes the output of html/columns.rs and html/encode.rs. Operations are columns of numbers; their texts
// are built on demand.

const facts = JSON.parse(document.getElementById("facts").textContent);
const columnsText = document.getElementById("columns").textContent;

const NEVER = 0xffffffff;
const DIGIT = new Uint8Array(128);
for (let i = 0; i < 64; i++) {
  DIGIT["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".charCodeAt(i)] = i;
}

/** Reads numbers from text: five bits per character, least significant first; the sixth bit says "more". */
class Reader {
  constructor(at) { this.at = at; }

  number() {
    let digit = DIGIT[columnsText.charCodeAt(this.at++)];
    let value = digit & 31;
    let shift = 5;
    while (digit & 32) {
      digit = DIGIT[columnsText.charCodeAt(this.at++)];
      // Beyond 31 bits, bitwise operators would overflow.
      value += shift < 26 ? (digit & 31) << shift : (digit & 31) * 2 ** shift;
      shift += 5;
    }
    return value;
  }

  signed() { return unfold(this.number()); }

  skip() { while (DIGIT[columnsText.charCodeAt(this.at++)] & 32); }
}

/** 0, 1, 2, 3, ... stand for 0, -1, 1, -2, ... */
function unfold(n) { return n % 2 ? -(n + 1) / 2 : n / 2; }

/** A word: odd codes are integers, even codes are places in the table. */
function word(n) { return n % 2 ? String(unfold((n - 1) / 2)) : facts.words[n / 2]; }

const parts = facts.parts.map(([name, status, count, from], index) =>
  ({ index, name: name || "all operations", status, count, from }));

/** The operations of one part in call order, and its known orders. */
function decodePart(part) {
  const n = part.count;
  const reader = new Reader(part.from);
  const set = {
    n,
    call: new Uint32Array(n), ret: new Uint32Array(n), kind: new Uint32Array(n),
    client: new Uint32Array(n), object: new Uint32Array(n), id: new Uint32Array(n),
    line: new Uint32Array(n), words: new Uint32Array(n), unknown: new Uint8Array(n),
    at: new Float64Array(facts.clock ? n : 0), until: new Float64Array(facts.clock ? n : 0),
    part: null, orders: [], remarks: new Map(),
  };
  let call = 0, id = 0, line = 0, tick = 0;
  for (let i = 0; i < n; i++) {
    set.call[i] = call += reader.signed();
    set.id[i] = id += reader.signed();
    set.line[i] = line += reader.signed();
    const open = reader.number();
    set.ret[i] = open ? call + open : NEVER;
    set.kind[i] = reader.number();
    set.client[i] = reader.number();
    set.object[i] = reader.number();
    set.words[i] = reader.at;
    for (let words = reader.number() >> 1; words > 0; words--) reader.skip();
    const start = reader.at;
    reader.skip();
    // A single "A" is the number 0: no result.
    set.unknown[i] = open && DIGIT[columnsText.charCodeAt(start)] === 0 ? 1 : 0;
    if (facts.clock) {
      set.at[i] = tick += reader.number();
      set.until[i] = tick + reader.number();
    }
  }
  for (let at = 0, left = reader.number(); left > 0; left--) set.remarks.set(at += reader.number(), facts.remarks[reader.number()]);
  for (let orders = reader.number(); orders > 0; orders--) set.orders.push(decodeOrder(reader));
  closeRanks(set);
  return set;
}

/**
 * Computes positions on the axis: `from` and `to`. With several parts, each part is shown without the gaps that
 * the events of the others leave; `ranks` are the ranks of its own events.
 */
function closeRanks(set) {
  if (parts.length === 1) return Object.assign(set, { from: set.call, to: set.ret, ranks: null, extent: facts.events });
  let events = 0;
  const ranks = new Uint32Array(2 * set.n);
  for (let i = 0; i < set.n; i++) {
    ranks[events++] = set.call[i];
    if (set.ret[i] !== NEVER) ranks[events++] = set.ret[i];
  }
  set.ranks = ranks.slice(0, events).sort();
  set.from = set.call.map((rank) => firstAbove(set.ranks, rank) - 1);
  set.to = set.ret.map((rank) => (rank === NEVER ? NEVER : firstAbove(set.ranks, rank) - 1));
  set.extent = events;
  return set;
}

/** The position on the axis of a moment after the given number of events of the history. */
function placeOfMoment(set, after) {
  return (set.ranks ? firstAbove(set.ranks, after - 1) : after) - 0.5;
}

function decodeOrder(reader) {
  const ids = new Uint32Array(reader.number());
  let last = 0;
  for (let i = 0; i < ids.length; i++) ids[i] = last += reader.signed();
  const until = reader.number() || NEVER;
  // The result of this operation is known, too.
  const also = reader.number() - 1;
  const stored = reader.number();
  const order = { ids, until, also, first: 0, states: null };
  if (stored > 0) {
    order.first = reader.number();
    // One more than there are steps: the first is the state before the first step.
    order.states = new Uint32Array(stored + 1);
    last = 0;
    for (let i = 0; i <= stored; i++) order.states[i] = last += reader.signed();
  }
  return order;
}

const COLUMNS = ["call", "ret", "kind", "client", "object", "id", "line", "words", "unknown", "at", "until"];
const WIDER = { unknown: Uint8Array, at: Float64Array, until: Float64Array };

/** All parts as one set. The witnesses of the parts are merged into one, as the library does. */
function mergeParts() {
  const sets = parts.map(decodePart);
  const n = sets.reduce((sum, set) => sum + set.n, 0);
  const all = { n, part: new Uint32Array(n), orders: [], remarks: new Map() };
  for (const name of COLUMNS) all[name] = new (WIDER[name] || Uint32Array)(n);
  // No two calls have the same rank.
  const at = new Int32Array(facts.events + 1).fill(-1);
  let total = 0;
  const flat = sets.map((set) => { const base = total; total += set.n; return base; });
  sets.forEach((set, p) => { for (let i = 0; i < set.n; i++) at[set.call[i]] = flat[p] + i; });
  const place = new Uint32Array(n);
  let next = 0;
  for (let rank = 0; rank < at.length; rank++) if (at[rank] >= 0) place[at[rank]] = next++;
  sets.forEach((set, p) => {
    for (let i = 0; i < set.n; i++) {
      const to = place[flat[p] + i];
      all.part[to] = p;
      for (const name of COLUMNS) all[name][to] = set[name][i];
    }
  });
  sets.forEach((set, p) => { for (const [i, text] of set.remarks) all.remarks.set(place[flat[p] + i], text); });
  all.placeOf = (part, i) => place[flat[part] + i];
  Object.assign(all, { from: all.call, to: all.ret, ranks: null, extent: facts.events });
  if (facts.outcome === "ok") all.orders.push(mergeOrders(sets, flat, place, all));
  return all;
}

function mergeOrders(sets, flat, place, all) {
  const count = new Uint32Array(facts.events + 2);
  const each = (visit) => sets.forEach((set, p) => {
    const order = set.orders[0];
    let latest = 0;
    for (let k = 0; k < order.ids.length; k++) {
      latest = Math.max(latest, set.call[order.ids[k]]);
      visit(latest, place[flat[p] + order.ids[k]], order, k);
    }
  });
  let length = 0;
  each((latest) => { count[latest + 1]++; length++; });
  for (let i = 1; i < count.length; i++) count[i] += count[i - 1];
  const ids = new Uint32Array(length);
  // The states before and after each step are those of the step's own part; 0 if not known.
  const own = new Uint32Array(length), before = new Uint32Array(length);
  each((latest, id, order, k) => {
    const to = count[latest]++;
    ids[to] = id;
    const known = order.states && k >= order.first && k - order.first + 1 < order.states.length;
    if (known) {
      own[to] = order.states[k - order.first + 1] + 1;
      before[to] = order.states[k - order.first] + 1;
    }
  });
  return { ids, until: NEVER, also: -1, first: 0, states: null, own, before };
}

/** The text of the state before or after a step of an order; undefined if it is not stored in the page. */
function stateAt(order, step, after) {
  if (!order || step < 0 || step >= order.ids.length) return undefined;
  if (order.own) {
    const number = (after ? order.own : order.before)[step];
    return number ? facts.states[number - 1] : undefined;
  }
  const at = step - order.first + (after ? 1 : 0);
  return order.states && at >= 0 && at < order.states.length ? facts.states[order.states[at]] : undefined;
}

/** The text of the call: `write(x, 5)`. */
function opText(set, i) {
  const reader = new Reader(set.words[i]);
  const head = reader.number();
  const words = [];
  for (let k = head >> 1; k > 0; k--) words.push(word(reader.number()));
  const kind = facts.kinds[set.kind[i]];
  return head & 1 ? `${kind}(${words.join(", ")})` : kind + words.join("");
}

/** The text of the result; null if not known. */
function retText(set, i) {
  const reader = new Reader(set.words[i]);
  for (let k = reader.number() >> 1; k > 0; k--) reader.skip();
  const result = reader.number();
  return result ? word(result - 1) : null;
}

/** Call and result. Results returned at rank `until` or later are shown as unknown. */
function label(set, i, until = NEVER) {
  const op = opText(set, i);
  if (set.ret[i] === NEVER) return op;
  const ret = set.ret[i] >= until ? null : retText(set, i);
  if (ret === "ok") return op;
  return `${op} → ${ret === null ? "?" : ret}`;
}

/** Call and result as an order explains them. */
function labelIn(set, i, order) { return label(set, i, order && order.also !== i ? order.until : NEVER); }

function clientName(client) { return client ? facts.clients[client - 1] : "no client"; }
function partOf(set, i) { return set.part ? set.part[i] : null; }
