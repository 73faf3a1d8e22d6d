// A run, step by step. Step 0 is the state before the first step.

const facts = JSON.parse($("facts").textContent);
const { steps, operations } = facts;
const threads = Math.max(0, ...steps.map((step) => step.thread), ...operations.map((op) => op.thread)) + 1;
/** With more threads, the steps of all of them share a column. */
const MAX_COLUMNS = 5;
const failing = operations.findIndex((op) => op.failing);

operations.forEach((op, i) => {
  op.text = op.text.replace(" -> ", " → ");
  op.from = steps.findIndex((step) => step.operation === i) + 1;
  op.last = steps.findLastIndex((step) => step.operation === i) + 1;
  op.to = steps.findLastIndex((step) => step.operation === i && step.ret !== null) + 1;
});

let at = 0;

// ---- texts ----

function callOf(step) { return step.call ? operations[step.operation].op : ""; }

/** `push(1): UR0, UR1 → ok` */
function describe(number) {
  if (number === 0) return "before the first step";
  const step = steps[number - 1];
  const call = step.call ? `${callOf(step)}: ` : "";
  const ret = step.ret === null ? "" : ` → ${step.ret}`;
  return `T${step.thread}  ${call}${step.lines.join(", ")}${ret}`;
}

function shared(number) { return number === 0 ? facts.initially : steps[number - 1].shared; }

/** The parts of a state: text at spaces that are in no brackets. Each is a name, perhaps empty, and a value. */
function partsOf(text) {
  const parts = [];
  let depth = 0, from = 0;
  const end = (to) => { if (to > from) parts.push(text.slice(from, to)); from = to + 1; };
  for (let i = 0; i < text.length; i++) {
    if ("([{".includes(text[i])) depth++;
    else if (")]}".includes(text[i])) depth--;
    else if (text[i] === " " && depth <= 0) end(i);
  }
  end(text.length);
  const seen = new Map();
  return parts.map((part) => {
    const [, name, value] = /^([^=:()[\]{}]+)[=:](.*)$/s.exec(part) || [null, "", part];
    // The same name again is another part.
    const n = seen.get(name) || 0;
    seen.set(name, n + 1);
    return { key: `${name} ${n}`, name, value };
  });
}

const WORDS = /[^\s()[\]{},=:]+|[\s()[\]{},=:]+/g;

/** The text, with those words marked that are different from before. */
function marked(text, before) {
  if (before === undefined) return [el("mark", {}, text)];
  const now = text.match(WORDS) || [], old = before.match(WORDS) || [];
  let front = 0, back = 0;
  if (now.length !== old.length) {
    while (front < Math.min(now.length, old.length) && now[front] === old[front]) front++;
    while (back < Math.min(now.length, old.length) - front && now.at(-1 - back) === old.at(-1 - back)) back++;
  }
  return now.map((word, i) => {
    const same = now.length === old.length ? word === old[i] : i < front || i >= now.length - back;
    return same || /^\s*$/.test(word) ? word : el("mark", {}, word);
  });
}

// ---- the head ----

function fillHead() {
  $("badge").className = facts.is_violation ? "bad" : "ok";
  $("badge").textContent = (facts.is_violation ? "✗ " : "✓ ") + facts.verdict;
  $("name").textContent = facts.name;
  $("about").textContent = [facts.about, facts.bounds, count(threads, "thread"), count(steps.length, "step")].join(" · ");
  $("about").title = $("about").textContent;
  if (facts.reason) {
    $("reason").hidden = false;
    $("reason").append(...facts.reason.map(([text, op]) => {
      if (op === null || !operations[op]) return text;
      const step = operations[op].last;
      return el("a", { href: `#step=${step}`, onclick: (event) => { event.preventDefault(); go(step); } }, text);
    }));
    if (facts.allowed) $("reason").append(el("span", { class: "quiet" }, ` Allowed: ${facts.allowed}.`));
  }
  $("failure").hidden = failing < 0;
}

// ---- the steps ----

const rows = [];

function fillRun() {
  const wide = threads <= MAX_COLUMNS;
  const heads = wide ? Array.from({ length: threads }, (_, t) => `T${t}`) : ["thread", "step"];
  $("run").querySelector("thead").append(el("tr", {}, el("th", {}), ...heads.map((head) => el("th", { scope: "col" }, head))));
  const body = $("run").querySelector("tbody");
  const first = el("tr", { onclick: () => go(0) }, el("td", { class: "n" }, "0"),
    el("td", { colspan: String(heads.length), class: "quiet" }, "before the first step"));
  rows.push(first);
  steps.forEach((step, k) => rows.push(row(step, k + 1, wide)));
  body.append(...rows);
}

/** An operation that is open has a line at its thread, from its first to its last step. */
function edge(thread, number) {
  const op = operations.find((op) => op.thread === thread && op.from <= number && number <= op.last);
  if (!op) return "";
  return op.failing ? "in fails" : op.core ? "in core" : "in";
}

function row(step, number, wide) {
  const content = [];
  if (step.call) content.push(el("span", { class: "call" }, callOf(step)), " ");
  content.push(step.lines.join(", "));
  if (step.ret !== null) {
    const fails = step.operation === failing ? " fails" : "";
    content.push(" ", el("span", { class: "ret" + fails }, "→ " + step.ret));
  }
  const cells = wide
    ? Array.from({ length: threads }, (_, t) => el("td", { class: edge(t, number) }, ...(t === step.thread ? content : [])))
    : [el("td", {}, `T${step.thread}`), el("td", { class: edge(step.thread, number) }, ...content)];
  return el("tr", { onclick: () => go(number) }, el("td", { class: "n" }, String(number)), ...cells);
}

// ---- the operations on a timeline ----

const LANE = 42, WHO = 34, TOP = 6;
const picture = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

let dots = [], cursor = null, stepWidth = 0;

function fillLanes() {
  const room = $("lanes").clientWidth || 600;
  stepWidth = Math.max(13, (room - WHO - 12) / (steps.length + 1));
  const width = WHO + stepWidth * (steps.length + 1) + 10, height = TOP + threads * LANE + 4;
  const x = (number) => WHO + number * stepWidth;
  const svg = picture("svg", { width, height, role: "img", "aria-label": "Operations by thread" });
  const line = (x1, y1, x2, y2, name) => picture("line", { x1, y1, x2, y2, class: name });
  for (let t = 0; t < threads; t++) {
    const y = TOP + t * LANE;
    if (t > 0) svg.append(line(0, y, width, y, "grid"));
    svg.append(picture("text", { x: 8, y: y + 30, class: "who" }, `T${t}`));
  }
  operations.forEach((op, i) => svg.append(...drawOperation(op, i, x, width)));
  dots = steps.map((step, k) => picture("circle", {
    cx: x(k + 1), cy: TOP + step.thread * LANE + 26, r: 3.4, class: "dot", onclick: () => go(k + 1),
  }, picture("title", {}, `${k + 1}. ${describe(k + 1)}`)));
  cursor = line(0, 0, 0, height, "cursor");
  svg.append(cursor, ...dots);
  $("lanes").replaceChildren(svg);
}

function drawOperation(op, i, x, width) {
  if (op.from === 0) return [];
  const y = TOP + op.thread * LANE, from = x(op.from) - 6;
  const to = op.to ? x(op.to) + 6 : width - 4;
  const next = operations.filter((other) => other.thread === op.thread && other.from > op.from).map((other) => x(other.from) - 8);
  const clip = `clip-${i}`;
  const name = `bar${op.core ? " core" : ""}${op.failing ? " fails" : ""}${op.to ? "" : " pending"}`;
  const drawn = [
    picture("clipPath", { id: clip }, picture("rect", { x: from, y, width: Math.max(0, Math.min(width, ...next) - from), height: 16 })),
    picture("text", { x: from, y: y + 13, "clip-path": `url(#${clip})` }, op.text),
    picture("rect", { x: from, y: y + 18, width: to - from, height: 16, rx: 5, class: name, onclick: () => go(op.from) },
      picture("title", {}, op.text)),
  ];
  if (op.failing && op.to) {
    drawn.push(picture("path", { class: "cross", d: `M${to + 4} ${y + 22}l8 8m0-8l-8 8` }));
  }
  return drawn;
}

// ---- the state ----

function showMemory() {
  $("memory-title").textContent = at === 0 ? "Shared memory before the first step" : `Shared memory after step ${at}`;
  const now = partsOf(shared(at)), before = new Map(at === 0 ? [] : partsOf(shared(at - 1)).map((part) => [part.key, part]));
  const rows = now.map((part) => {
    const old = before.get(part.key);
    before.delete(part.key);
    const is = at > 0 && (!old || old.value !== part.value);
    const value = is ? marked(part.value, old && old.value) : [part.value];
    const was = is ? el("del", {}, old ? old.value : "") : null;
    return el("tr", { class: is ? "changed" : null }, el("th", { scope: "row" }, part.name), el("td", {}, ...value, was));
  });
  const gone = [...before.values()].map((part) =>
    el("tr", { class: "changed" }, el("th", { scope: "row" }, part.name), el("td", {}, el("del", {}, part.value))));
  $("memory").replaceChildren(...rows, ...gone);
}

function showThreads() {
  const moved = at > 0 ? steps[at - 1].thread : -1;
  const rows = Array.from({ length: threads }, (_, t) => {
    const last = steps.slice(0, at).findLast((step) => step.thread === t);
    const open = operations.find((op) => op.thread === t && op.from && op.from <= at && (!op.to || op.to > at));
    const done = !open && last && operations[last.operation];
    const doing = open ? open.op : done ? `after ${done.text}` : "not started";
    const local = (open && last && last.local) || "";
    return el("tr", { class: t === moved ? "now" : null }, el("th", { scope: "row" }, `T${t}`),
      el("td", { class: open ? "op" : "op quiet" }, doing), el("td", {}, local));
  });
  $("threads").replaceChildren(...rows);
}

// ---- stepping ----

function go(number) {
  at = Math.max(0, Math.min(steps.length, number));
  $("where").textContent = `step ${at} of ${steps.length}`;
  $("now").textContent = describe(at);
  $("live").textContent = `${describe(at)}. ${shared(at)}`;
  $("first").disabled = $("back").disabled = at === 0;
  $("next").disabled = $("last").disabled = at === steps.length;
  rows.forEach((row, k) => { row.className = k === at ? "now" : k > at ? "later" : ""; });
  // In a narrow window the page scrolls as a whole, and stays where it is.
  if (getComputedStyle($("run")).overflowY !== "visible" && $("run").scrollHeight > $("run").clientHeight) {
    rows[at].scrollIntoView({ block: "nearest" });
  }
  dots.forEach((dot, k) => dot.setAttribute("class", k + 1 === at ? "dot now" : "dot"));
  const x = WHO + (at + (at === 0 ? 0.3 : 0)) * stepWidth;
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
  const lanes = $("lanes");
  if (x < lanes.scrollLeft + WHO || x > lanes.scrollLeft + lanes.clientWidth - 20) lanes.scrollLeft = x - lanes.clientWidth / 2;
  showMemory();
  showThreads();
  // Some browsers refuse this for local files; the page works without it.
  try { history.replaceState(null, "", `#step=${at}`); } catch { /* keep the old address */ }
}

function stepOfLink() {
  const number = Number(new URLSearchParams(location.hash.slice(1)).get("step"));
  return Number.isInteger(number) ? number : 0;
}

function toFailure() { if (failing >= 0) go(operations[failing].to || operations[failing].last); }

const KEYS = [
  ["→, ↓, N, J", "next step", () => go(at + 1)],
  ["←, ↑, P, K", "previous step", () => go(at - 1)],
  ["Home", "before the first step", () => go(0)],
  ["End", "last step", () => go(steps.length)],
  ["PageDown, PageUp", "ten steps", null],
  ["F", "the step that returns what no order explains", toFailure],
  ["D", "light or dark theme", toggleTheme],
  ["?", "this help", () => $("help").showModal()],
];
const ARROWS = { "→": "ArrowRight", "↓": "ArrowDown", "←": "ArrowLeft", "↑": "ArrowUp" };

function bindKeys() {
  const actions = new Map([["PageDown", () => go(at + 10)], ["PageUp", () => go(at - 10)]]);
  for (const [keys, , action] of KEYS) {
    if (action) for (const key of keys.split(", ")) actions.set((ARROWS[key] || key).toLowerCase(), action);
  }
  actions.forEach((action, key) => actions.set(key.toLowerCase(), action));
  document.addEventListener("keydown", (event) => {
    const action = actions.get(event.key.toLowerCase());
    if (!action || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    event.preventDefault();
    action();
  });
  const keys = el("div", { class: "keys" });
  for (const [names, what] of KEYS) {
    const shown = names.split(", ").flatMap((name, n) => (n ? [" ", el("kbd", {}, name)] : [el("kbd", {}, name)]));
    keys.append(el("span", {}, ...shown), el("span", {}, what));
  }
  $("help").append(el("form", { method: "dialog" }, el("button", {}, "Close")), el("h2", {}, "Keys"), keys,
    el("p", { class: "quiet" }, "Amber operations contradict each other; the red one returned what no order explains. What a step changed in shared memory is marked, with the value before it."));
}

for (const [id, action] of Object.entries({
  first: () => go(0), back: () => go(at - 1), next: () => go(at + 1), last: () => go(steps.length),
  failure: toFailure, theme: toggleTheme, "help-open": () => $("help").showModal(),
})) $(id).addEventListener("click", action);

fillHead();
fillRun();
fillLanes();
bindKeys();
go(stepOfLink());
new ResizeObserver(() => { fillLanes(); go(at); }).observe($("main"));
window.addEventListener("hashchange", () => { if (stepOfLink() !== at) go(stepOfLink()); });
document.documentElement.dataset.painted = performance.now().toFixed(1);
// For tests and for the console.
window.linpoint = { facts, go, at: () => at };
