// Mouse, touch, keys, search.

/** The operation under a point of the canvas. */
function operationAt(scene, px, py) {
  const row = Math.floor((py - rowTop(scene, 0)) / scene.laneHeight);
  const lane = scene.layout.lanes[row];
  if (!lane || px < scene.gutter || py < topOf(scene)) return null;
  const x = scene.x0 + (px - scene.gutter) / scene.scale, near = 4 / scene.scale;
  const k = firstAbove(lane.start, x + near) - 1;
  if (k < 0) return null;
  // A core or failing operation nearby takes precedence over the exact hit.
  for (let j = k; j >= Math.max(0, k - 8); j--) {
    const i = lane.items[j];
    if ((scene.marks.core.has(i) || scene.marks.failing === i) && lane.end[j] >= x - near) return i;
  }
  return lane.end[k] >= x - near ? lane.items[k] : null;
}

/** The operation that did not happen under a point. */
function failedAt(scene, px, py) {
  const lane = scene.layout.lanes[Math.floor((py - rowTop(scene, 0)) / scene.laneHeight)];
  if (!lane || px < scene.gutter || py < topOf(scene)) return null;
  const near = ({ x, end }) => px >= toPixel(scene, x) - 4 && px <= Math.max(toPixel(scene, end), toPixel(scene, x) + 4) + 4;
  return (scene.failed.get(lane.owner) || []).find(near) || null;
}

/** The operation or the event under a point. */
function thingAt(scene, px, py) {
  const note = faultAt(scene, px, py, NOTE_EDGE), i = note ? null : operationAt(scene, px, py);
  return { i, fault: note || (i === null ? faultAt(scene, px, py) : null) };
}

function showTip(event) {
  const tip = $("tip"), box = canvas.getBoundingClientRect(), scene = sceneNow();
  const px = event.clientX - box.left, py = event.clientY - box.top;
  const { i, fault } = thingAt(scene, px, py);
  canvas.classList.toggle("over", i !== null || fault !== null);
  hover(i);
  const failed = i === null && !fault ? failedAt(scene, px, py) : null;
  tip.hidden = i === null && !fault && !failed;
  if (tip.hidden) return;
  if (failed) {
    const lines = ["failed: it did not happen", (failed.client || "no client") + (failed.line ? `, line ${failed.line}` : "")];
    if (failed.remark) lines.push(failed.remark);
    if (clock && failed.begin !== null && failed.finish !== null) lines.push(`at ${durationText(failed.begin)} for ${durationText(failed.finish - failed.begin)}`);
    tip.replaceChildren(el("b", {}, failed.op), ...lines.map((line) => el("span", {}, line)));
  } else if (fault) tip.replaceChildren(el("b", {}, fault.text), el("span", {}, fault.lane), el("span", {}, faultText(fault)));
  else {
    const { set } = shown;
    const lines = [clientName(set.client[i]) + (set.ret[i] === NEVER ? ", pending" : "") + (set.line[i] ? `, line ${set.line[i]}` : "")];
    if (clock) lines.push(openText(set, i));
    if (set.remarks.has(i)) lines.push(set.remarks.get(i));
    if (set.part) lines.push(parts[set.part[i]].name);
    lines.push(...placeLines(i));
    if (shown.marks.failing === i) lines.push("no order explains this result" + (shown.explanation.allowed ? `; allowed: ${shown.explanation.allowed}` : ""));
    tip.replaceChildren(el("b", {}, label(set, i)), ...lines.map((line) => el("span", {}, line.length > 240 ? line.slice(0, 240) + "…" : line)));
  }
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + "px";
}

function bindCanvas() {
  const pointers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = 0;
    flight++;
    $("tip").hidden = true;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return showTip(event);
    const scene = sceneNow(), dx = event.clientX - last.x, dy = event.clientY - last.y;
    moved += Math.abs(dx) + Math.abs(dy);
    if (pointers.size === 1) {
      if (moved > 4) canvas.classList.add("dragging");
      followed = null;
      state.scroll -= dy;
      look(state.x0 - dx / scene.scale, state.x1 - dx / scene.scale);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const before = Math.abs(last.x - other.x), now = Math.abs(event.clientX - other.x);
      if (before > 8 && now > 8) zoom(before / now, scene.x0 + ((event.clientX + other.x) / 2 - canvas.getBoundingClientRect().left - scene.gutter) / scene.scale);
    }
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  const up = (event) => {
    pointers.delete(event.pointerId);
    canvas.classList.remove("dragging");
    if (event.type === "pointerup" && moved <= 4) {
      const box = canvas.getBoundingClientRect();
      const { i, fault } = thingAt(sceneNow(), event.clientX - box.left, event.clientY - box.top);
      if (i !== null && shown.order && shown.places[i] >= 0 && state.step >= 0) state.step = shown.places[i];
      select(i, fault);
    }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; hover(null); });
  canvas.addEventListener("dblclick", (event) => {
    const box = canvas.getBoundingClientRect(), scene = sceneNow();
    zoom(0.4, scene.x0 + (event.clientX - box.left - scene.gutter) / scene.scale);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    flight++;
    const scene = sceneNow(), box = canvas.getBoundingClientRect();
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.altKey) return scroll(event.deltaY * unit);
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (sideways && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      const by = sideways * unit / scene.scale;
      return look(state.x0 + by, state.x1 + by);
    }
    zoom(1.0016 ** (event.deltaY * unit), scene.x0 + Math.max(0, event.clientX - box.left - scene.gutter) / scene.scale);
  }, { passive: false });
}

function bindMap() {
  const go = (event) => {
    const box = map.getBoundingClientRect(), half = (state.x1 - state.x0) / 2;
    const at = axisStart() + (event.clientX - box.left) / box.width * axisLength();
    flight++;
    look(at - half, at + half);
  };
  map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); go(event); });
  map.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
  map.addEventListener("wheel", (event) => { event.preventDefault(); zoom(1.0016 ** event.deltaY); }, { passive: false });
}

// ---- search ----

let searching = 0, hitAt = -1;
const SLICE = 8000;

/** The text in which operations are found: both spellings of the arrow, and the client. */
function searchText(set, i) {
  const text = label(set, i).toLowerCase();
  return `${text}\n${text.replaceAll("→", "->")}\n${clientName(set.client[i]).toLowerCase()}`;
}

/** Finds operations by text or client, `#12` by number, `:12` by line. Large sets are searched in slices. */
function search(query) {
  state.query = query;
  const ticket = ++searching, wanted = query.trim().toLowerCase(), { set } = shown;
  shown.hits = [];
  hitAt = -1;
  const number = /^[#:]\d+$/.test(wanted) ? Number(wanted.slice(1)) : null;
  const column = wanted[0] === "#" ? set.id : set.line;
  const matches = number !== null ? (i) => column[i] === number : (i) => searchText(set, i).includes(wanted);
  showFound();
  changed();
  if (!wanted) return;
  let i = 0;
  const work = () => {
    if (ticket !== searching) return;
    for (const end = Math.min(set.n, i + SLICE); i < end; i++) {
      if (shown.layout.has(i) && matches(i)) shown.hits.push(i);
    }
    showFound(i < set.n ? "…" : "");
    changed();
    if (i < set.n) setTimeout(work, 0);
  };
  work();
}

function showFound(more = "") {
  const n = shown.hits.length;
  $("found").textContent = state.query.trim() ? `${hitAt >= 0 ? `${hitAt + 1}/` : ""}${n.toLocaleString("en")}${more}` : "";
}

function nextHit(direction) {
  const n = shown.hits.length;
  if (n === 0) return;
  hitAt = hitAt < 0 ? (direction > 0 ? 0 : n - 1) : (hitAt + direction + n) % n;
  select(shown.hits[hitAt]);
  reveal(shown.hits[hitAt]);
  showFound();
}

// ---- keys ----

const KEYS = [
  ["← →", "pan"], ["↑ ↓", "scroll through clients"], ["+ −, wheel", "zoom"], ["drag, Shift+wheel", "pan"], ["Alt+wheel", "scroll through clients"],
  ["0", "show everything"], ["F", "go to the failure"], ["N, P", "one step forward, back along the order"], ["Home, End", "before the first step, last step"],
  ["T, E, O", "axis of time, of events, of the order"], ["A", "show or hide lanes that are blank in this window"], ["L", "a lane for each client, or for those that continue each other"], ["C", "compare with the next partial order"], ["pointer", "where an operation is in the orders, or what stops it"], ["click", "keep that in the panel"], ["[ ]", "previous, next operation of the same client"],
  ["/", "search: text, client, #number, :line; Enter goes to the next hit"], ["B", "show or hide the panel"], ["D", "light or dark theme"], ["S", "save the view as SVG"], ["Esc", "close, deselect"], ["?", "this help"],
];

function neighbour(direction) {
  const { layout, set } = shown;
  if (state.selected === null) {
    const first = shown.marks.failing ?? (set.n ? 0 : null);
    if (first !== null) { select(first); reveal(first); }
    return;
  }
  const lane = layout.laneOf(state.selected);
  const at = lane ? lane.items.indexOf(state.selected) + direction : -1;
  if (lane && at >= 0 && at < lane.count) { select(lane.items[at]); reveal(lane.items[at]); }
}

const ACTIONS = {
  ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15),
  ArrowUp: () => scroll(-40), ArrowDown: () => scroll(40),
  "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7), "0": () => showAll(),
  f: () => showFailure(), n: () => goToStep(state.step + 1), p: () => goToStep(state.step - 1),
  Home: () => goToStep(-1), End: () => shown.order && goToStep(shown.order.ids.length - 1),
  t: () => setAxis("clock"), e: () => setAxis("time"), o: () => setAxis("order"),
  a: () => setBlank(!state.blank), l: () => setFolded(state.unfolded),
  c: () => {
    if (shown.set.orders.length < 2) return;
    const next = state.compare === null ? (state.order === 0 ? 1 : 0) : state.compare + 1;
    chooseOrder(state.order, next === state.order ? next + 1 : next);
    openTab("order");
  },
  "[": () => neighbour(-1), "]": () => neighbour(1),
  "/": () => $("search").focus(), b: () => togglePanel(), d: () => toggleTheme(), s: () => saveSvg(),
  "?": () => $("help").showModal(), Escape: () => { select(null); canvas.focus(); },
};

function bindKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (typing || event.target instanceof HTMLSelectElement) {
      if (event.key === "Escape") { event.target.blur(); event.preventDefault(); }
      return;
    }
    const action = ACTIONS[event.key] || ACTIONS[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
  const box = $("search");
  let delay = 0;
  box.addEventListener("input", () => { clearTimeout(delay); delay = setTimeout(() => search(box.value), shown.set.n > 20000 ? 200 : 0); });
  box.addEventListener("keydown", (event) => { if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1); });
}
