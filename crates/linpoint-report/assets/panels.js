// The panel beside the timeline. Text from a history becomes text nodes only.

const STATUS = { ok: "linearizable", bad: "not linearizable", undecided: "undecided", unchecked: "not checked" };

function fillHead() {
  const badge = $("badge");
  badge.className = facts.outcome;
  badge.textContent = { ok: "✓ ", bad: "✗ ", undecided: "? " }[facts.outcome] + facts.verdict;
  $("name").textContent = facts.name;
  $("name").title = facts.note || facts.name;
  const about = [facts.model, count(facts.operations, "operation")];
  if (parts.length > 1) about.push(count(parts.length, "part"));
  if (facts.unknown) about.push(count(facts.unknown, "result") + " unknown");
  if (facts.engine) about.push(facts.engine);
  about.push(facts.time);
  $("about").textContent = about.join(" · ");
  $("about").title = about.join(" · ");
}

/** A list of any length that creates only the visible rows. */
class LongList {
  constructor(rowHeight, make) {
    this.rowHeight = rowHeight;
    this.make = make;
    this.length = 0;
    this.rows = el("div", { class: "rows" });
    this.space = el("div");
    this.root = el("div", { class: "list", tabindex: "0" }, this.space, this.rows);
    this.root.addEventListener("scroll", () => this.show());
  }

  /** Browsers limit the height of elements. Beyond that limit, scrolling is proportional. */
  setLength(length) {
    this.length = length;
    this.full = length * this.rowHeight;
    this.tall = Math.min(this.full, 8e6);
    this.space.style.height = this.tall + "px";
    this.show();
  }

  offset() {
    const room = this.root.clientHeight, hidden = Math.max(1, this.tall - room);
    return this.tall < this.full ? (this.root.scrollTop / hidden) * (this.full - room) : this.root.scrollTop;
  }

  show() {
    const room = this.root.clientHeight || 400, offset = this.offset();
    const from = Math.max(0, Math.floor(offset / this.rowHeight) - 3);
    const to = Math.min(this.length, Math.ceil((offset + room) / this.rowHeight) + 3);
    const rows = [];
    for (let k = from; k < to; k++) rows.push(this.make(k));
    this.rows.replaceChildren(...rows);
    this.rows.style.transform = `translateY(${this.root.scrollTop - offset + from * this.rowHeight}px)`;
  }

  reveal(k) {
    const room = this.root.clientHeight, at = k * this.rowHeight, offset = this.offset();
    if (at < offset || at + this.rowHeight > offset + room) {
      const wanted = Math.max(0, at - room / 2);
      const hidden = Math.max(1, this.full - room);
      this.root.scrollTop = this.tall < this.full ? (wanted / hidden) * (this.tall - room) : wanted;
    }
    this.show();
  }
}

// ---- the verdict ----

const TABLE_STEPS = 12;

function verdictPage() {
  const page = el("div", { class: "page" });
  const why = shown.explanation;
  if (facts.note) page.append(el("p", { class: "quiet" }, facts.note));
  if (why) violationFacts(page, why);
  else if (facts.outcome === "ok") {
    page.append(el("h2", {}, "Linearizable"),
      el("p", {}, parts.length === 0 ? "The history has no operations." :
        "There is a legal order of all operations. The line connects the points at which they can take effect; step along it with N and P."));
  } else if (facts.outcome === "undecided") {
    page.append(el("h2", {}, "Undecided"), el("p", {}, facts.stopped + "."));
  } else {
    page.append(el("h2", {}, "Violation in another part"),
      el("p", {}, "This part has no violation. Parts that have one:"));
  }
  if (facts.explanations.length > (why ? 1 : 0)) page.append(otherFailures(why));
  if (facts.steps) page.append(el("h2", {}, "Steps"), el("pre", { class: "mono" }, facts.steps));
  if (facts.neighbours.length) {
    page.append(el("h2", {}, "Of this Jepsen run"), el("ul", { id: "neighbours" },
      ...facts.neighbours.map(([name, href]) => el("li", {}, el("a", { href }, name)))));
  }
  const colours = legend();
  if (colours) page.append(colours);
  page.append(el("details", { id: "plan" }, el("summary", {}, "How it was checked"),
    el("p", { class: "quiet", style: "white-space: pre-line" }, facts.plan)));
  return page;
}

/** What the colours mean, as far as they occur. */
function legend() {
  const { set, marks, order } = shown;
  const entries = [];
  if (marks.core.size) entries.push(["core", "contradict each other"]);
  if (marks.failing !== null) entries.push(["bad", "no order explains this return"]);
  if (order) entries.push(["step", "the points at which operations take effect"]);
  if (order && shown.explanation && (shown.explanation.orders.next[state.order] || []).some(([i, fits]) => obstacle(set, i, fits))) entries.push(["bad", "✕ cannot come next"]);
  if (set.ret && set.ret.includes(NEVER)) entries.push(["fading", "pending"]);
  if (shown.failed.size) entries.push(["quiet", "below a lane: failed, did not happen"]);
  if (faults.length) entries.push(["fault", "faults and other events"]);
  if (entries.length === 0) return null;
  return el("ul", { class: "legend", id: "legend" }, ...entries.map(([name, text]) => el("li", {}, swatch(name), text)));
}

function swatch(name) {
  const i = el("i");
  i.style.background = name === "fading" ? "linear-gradient(90deg, var(--kind-0), transparent)" : `var(--${name})`;
  return i;
}

/** The operation on a line of the file; null if it is not shown. */
function operationOnLine(line) {
  const i = shown.set.line ? shown.set.line.indexOf(line) : -1;
  return i < 0 ? null : i;
}

/** A sentence whose operations can be clicked: those that name their line. */
function linked(text) {
  return text.split(/(\(line \d+\))/).map((piece) => {
    const line = /^\(line (\d+)\)$/.exec(piece);
    const i = line && operationOnLine(Number(line[1]));
    if (i === null) return piece;
    return el("a", { href: "#", title: label(shown.set, i), onclick: (event) => { event.preventDefault(); select(i); reveal(i); } }, piece);
  });
}

function violationFacts(page, why) {
  const { set, marks } = shown;
  const list = el("dl");
  const fact = (name, ...text) => list.append(el("dt", {}, name), el("dd", {}, ...text));
  if (marks.failing !== null) {
    fact("Fails at", operationLink(marks.failing), why.earliest ? "" : "; an earlier return may already be impossible");
    if (why.allowed) fact("Allowed here", el("code", {}, why.allowed));
  }
  fact("Core", why.about);
  page.append(el("h2", {}, "Contradiction"), list);
  if (set.orders.length > 0) page.append(...stateTable());
  if (marks.core.size) page.append(el("h2", {}, `Core: ${count(marks.core.size, "operation")}`), coreTable());
}

function operationLink(i) {
  const go = () => { select(i); reveal(i); };
  return el("a", { href: "#", class: "mono", onclick: (event) => { event.preventDefault(); go(); } }, label(shown.set, i));
}

/** The last steps of the longest order with the state after each, then the failing operation. */
function stateTable() {
  const { set, order, marks } = shown;
  const from = Math.max(0, order.ids.length - TABLE_STEPS);
  const body = el("tbody");
  const before = from === 0 ? stateAt(order, 0, false) : stateAt(order, from - 1, true);
  const head = from === 0 ? "initial state" : `after ${count(from, "step")}`;
  if (before !== undefined) body.append(el("tr", {}, el("td", { class: "n" }, from ? "…" : "0"), el("td", { class: "who" }, head), el("td", {}, before)));
  for (let k = from; k < order.ids.length; k++) {
    const i = order.ids[k];
    body.append(el("tr", { class: "go" + (marks.core.has(i) ? " core" : ""), onclick: () => goToStep(k) },
      el("td", { class: "n" }, String(k + 1)), el("td", {}, labelIn(set, i, order)),
      el("td", {}, stateAt(order, k, true) ?? (k === order.ids.length - 1 ? shown.explanation.orders.ends[state.order] : undefined) ?? "…")));
  }
  const isIn = marks.failing !== null && shown.places[marks.failing] >= 0;
  if (marks.failing !== null && !isIn) {
    body.append(el("tr", { class: "fails go", onclick: () => { select(marks.failing); reveal(marks.failing); } },
      el("td", { class: "n" }, "✗"), el("td", {}, label(set, marks.failing)), el("td", {}, "impossible")));
  }
  const also = order.also >= 0 ? `States along the order with ${label(set, order.also)}` : "States along the longest order";
  return [
    el("h2", {}, also),
    el("table", { id: "states" }, el("thead", {}, el("tr", {}, el("th", {}, ""), el("th", {}, "operation"), el("th", {}, "state after"))), body),
    ...nextList(state.order),
  ];
}

function coreTable() {
  const { set, marks } = shown;
  const rows = [...marks.core].slice(0, 200);
  return el("table", {}, el("tbody", {}, ...rows.map((i) =>
    el("tr", { class: "go core" + (marks.failing === i ? " fails" : ""), onclick: () => { select(i); reveal(i); } },
      el("td", { class: "who" }, clientName(set.client[i])), el("td", {}, label(set, i)),
      el("td", { class: "n" }, set.line[i] ? `line ${set.line[i]}` : "")))));
}

function otherFailures(why) {
  const others = facts.explanations.filter((e) => e !== why).slice(0, 100);
  return el("div", {}, el("h2", {}, why ? "Other failures" : ""),
    ...others.map((e) => el("p", {}, el("a", {
      href: "#", onclick: (event) => { event.preventDefault(); openPart(e.part); },
    }, parts[e.part].name), ": " + e.reason)));
}

// ---- the order ----

let stepList = null;

function orderName(k) {
  const order = shown.set.orders[k];
  if (order.also >= 0) return `with ${label(shown.set, order.also)}: ${count(order.ids.length, "step")}`;
  return shown.explanation ? `partial order ${k + 1}: ${count(order.ids.length, "step")}` : `linearization: ${count(order.ids.length, "step")}`;
}

function orderPage() {
  const page = el("div", { class: "page filled" });
  stepList = null;
  if (!shown.order) {
    const hint = parts.length > 1 && facts.outcome === "bad" ? "Choose the failing part to see its partial orders." : "No order of these operations is known.";
    page.append(el("p", { class: "quiet", style: "padding: 14px" }, hint));
    return page;
  }
  const { orders } = shown.set;
  const choose = (chosen, none, onchange) => {
    const options = orders.map((_, k) => el("option", { value: String(k), selected: k === chosen }, orderName(k)));
    if (none) options.unshift(el("option", { value: "", selected: chosen === null }, none));
    return el("select", { onchange: (event) => onchange(event.target.value === "" ? null : Number(event.target.value)) }, ...options);
  };
  const bar = el("div", { class: "bar" });
  const refresh = () => { openTab("order"); changed(); };
  if (orders.length > 1) {
    bar.append(el("label", {}, "Follow", choose(state.order, null, (k) => { chooseOrder(k, state.compare); refresh(); })),
      el("label", {}, "Compare with", choose(state.compare, "nothing", (k) => { chooseOrder(state.order, k); refresh(); })));
  } else bar.append(el("span", { class: "quiet" }, orderName(0)));
  bar.append(el("div", { class: "state mono", id: "state-now" }));
  if (shown.compare) bar.append(el("span", { class: "quiet", id: "fork" }, comparison()));
  stepList = new LongList(27, shown.compare ? pairRow : stepRow);
  page.append(bar, stepList.root);
  requestAnimationFrame(() => {
    stepList.setLength(Math.max(shown.order.ids.length, shown.compare ? shown.compare.ids.length : 0));
    stepList.reveal(state.step >= 0 ? state.step : shown.explanation ? shown.order.ids.length - 1 : 0);
  });
  return page;
}

function forkOf(a, b) {
  let k = 0;
  while (k < a.ids.length && k < b.ids.length && a.ids[k] === b.ids[k]) k++;
  return k;
}

function comparison() {
  const { order, compare } = shown;
  const fork = forkOf(order, compare);
  const only = (a, b) => { const seen = new Set(b.ids); return a.ids.filter((i) => !seen.has(i)).length; };
  if (fork === order.ids.length && fork === compare.ids.length) return "The orders are the same.";
  return `The orders diverge at step ${fork + 1}. Only in the first: ${only(order, compare)}; only in the second: ${only(compare, order)}.`;
}

function markClass(i) {
  return (shown.marks.failing === i ? " fails" : "") + (shown.marks.core.has(i) ? " core" : "");
}

function stepRow(k) {
  const i = shown.order.ids[k];
  return el("div", { class: "row step" + (k === state.step ? " now" : "") + (i === shown.hovered ? " hovered" : "") + markClass(i), onclick: () => goToStep(k), title: labelIn(shown.set, i, shown.order) },
    el("span", { class: "n" }, String(k + 1)), el("span", { class: "mono" }, labelIn(shown.set, i, shown.order)),
    el("span", { class: "mono quiet" }, stateAt(shown.order, k, true) ?? ""));
}

function pairRow(k) {
  const cell = (order) => {
    const i = order.ids[k];
    return el("span", { class: "mono", title: i === undefined ? "" : labelIn(shown.set, i, order) }, i === undefined ? "" : labelIn(shown.set, i, order));
  };
  const differs = shown.order.ids[k] !== shown.compare.ids[k];
  return el("div", { class: "row pair" + (k === state.step ? " now" : differs ? " fork" : ""), onclick: () => goToStep(k) },
    el("span", { class: "n" }, String(k + 1)), cell(shown.order), cell(shown.compare));
}

function stateText() {
  const { order } = shown;
  if (!order) return "";
  const orMissing = (text) => (text === undefined ? "not stored in this page" : text);
  if (state.step < 0) return "Before the first step: " + orMissing(order.own ? "each part in its initial state" : stateAt(order, 0, false));
  let text = `After step ${state.step + 1}: `;
  if (order.own) text = `${parts[shown.set.part[order.ids[state.step]]].name} after step ${state.step + 1}: `;
  const last = state.step === order.ids.length - 1 && shown.explanation ? shown.explanation.orders.ends[state.order] : undefined;
  return text + orMissing(stateAt(order, state.step, true) ?? last);
}

// ---- filters ----

function filterPage() {
  const page = el("div", { class: "page" });
  const { set, marks } = shown;
  const tally = { clients: new Map(), kinds: new Map(), objects: new Map(), outcomes: new Map() };
  const add = (name, key) => tally[name].set(key, (tally[name].get(key) || 0) + 1);
  for (let i = 0; i < set.n; i++) {
    add("clients", set.client[i]);
    add("kinds", set.kind[i]);
    if (set.object[i]) add("objects", set.object[i]);
    add("outcomes", outcomeOf(set, i, marks));
  }
  const names = {
    outcomes: (k) => ["core of the contradiction", "returned", "returned, result unknown", "pending"][k],
    kinds: (k) => facts.kinds[k] || "(other)", clients: clientName, objects: (k) => facts.objects[k - 1],
  };
  const titles = { outcomes: "Outcome", kinds: "Operation", clients: "Client", objects: "Object" };
  for (const name of ["outcomes", "kinds", "clients", "objects"]) {
    if (tally[name].size === 0) continue;
    page.append(filterSet(name, titles[name], tally[name], names[name]));
  }
  page.append(el("button", { id: "filter-reset", onclick: () => { for (const set of Object.values(state.hidden)) set.clear(); filtered(); } }, "Show everything"));
  return page;
}

function filterSet(name, title, tally, nameOf) {
  const hidden = state.hidden[name];
  const keys = [...tally.keys()].sort((a, b) => (name === "outcomes" ? a - b : byName(nameOf(a), nameOf(b))));
  const rows = keys.slice(0, 300).map((key) => {
    const box = el("input", { type: "checkbox", "data-filter": `${name}:${key}`, onchange: (event) => { if (event.target.checked) hidden.delete(key); else hidden.add(key); filtered(); } });
    box.checked = !hidden.has(key);
    const only = () => { hidden.clear(); for (const other of tally.keys()) if (other !== key) hidden.add(other); filtered(); };
    const swatch = el("span", { class: "swatch" });
    if (name === "kinds") swatch.style.background = `var(--${kindColour(key)})`;
    if (name === "outcomes" && key === 0) swatch.style.background = "var(--core)";
    return el("label", { class: "check" }, box, swatch, el("span", { class: "what", title: nameOf(key) }, nameOf(key)),
      el("span", { class: "n" }, tally.get(key).toLocaleString("en")),
      el("button", { type: "button", title: `Show only ${nameOf(key)}`, onclick: (event) => { event.preventDefault(); only(); } }, "only"));
  });
  if (keys.length > rows.length) rows.push(el("p", { class: "quiet" }, `and ${keys.length - rows.length} more`));
  return el("fieldset", {}, el("legend", {}, title), ...rows);
}

function filtered() {
  layOutAgain();
  openTab("filter");
}

// ---- parts ----

function partsPage() {
  const page = el("div", { class: "page filled" });
  let chosen = parts;
  const list = new LongList(27, (k) => {
    const part = chosen[k];
    return el("div", { class: "row part" + (part.index === state.part ? " now" : ""), onclick: () => openPart(part.index), title: part.name },
      el("span", {}, part.name), el("span", { class: "n" }, part.count.toLocaleString("en")), el("span", { class: "chip " + part.status }, STATUS[part.status]));
  });
  const rank = { bad: 0, undecided: 1, unchecked: 2, ok: 3 };
  const apply = (text) => {
    const query = text.toLowerCase();
    chosen = parts.filter((part) => part.name.toLowerCase().includes(query))
      .sort((a, b) => rank[a.status] - rank[b.status] || byName(a.name, b.name) || a.index - b.index);
    list.setLength(chosen.length);
  };
  const tally = Object.keys(STATUS).map((status) => [status, parts.filter((p) => p.status === status).length]).filter(([, n]) => n > 0);
  page.append(el("div", { class: "bar" },
    el("span", { class: "quiet" }, tally.map(([status, n]) => `${n.toLocaleString("en")} ${STATUS[status]}`).join(", ")),
    el("input", { type: "search", placeholder: "Find a part", "aria-label": "Find a part", oninput: (event) => apply(event.target.value) }),
    el("button", { id: "all-parts", "aria-pressed": String(state.part === ALL), onclick: () => openPart(ALL) }, "All parts together")), list.root);
  requestAnimationFrame(() => apply(""));
  return page;
}

function openPart(part) {
  state.step = -1;
  for (const hidden of Object.values(state.hidden)) hidden.clear();
  showPart(part);
  firstWindow();
  search(state.query);
  openTab(state.tab);
}

// ---- tabs and details ----

const TABS = { verdict: ["Verdict", verdictPage], order: ["Order", orderPage], filter: ["Filter", filterPage], parts: ["Parts", partsPage] };

function openTab(name) {
  state.tab = Object.hasOwn(TABS, name) && (name !== "parts" || parts.length > 1) ? name : "verdict";
  const tabs = Object.entries(TABS).filter(([key]) => key !== "parts" || parts.length > 1);
  $("tabs").replaceChildren(...tabs.map(([key, [title]]) => el("button", {
    role: "tab", id: "tab-" + key, "aria-selected": String(key === state.tab), onclick: () => openTab(key),
  }, title)));
  const old = $("pages").firstElementChild, scroll = old && old.dataset.tab === state.tab ? old.scrollTop : 0;
  const page = TABS[state.tab][1]();
  page.dataset.tab = state.tab;
  $("pages").replaceChildren(page);
  page.scrollTop = scroll;
  changed();
}

function detailsOf(i) {
  const { set, places, order } = shown;
  const list = el("dl");
  const fact = (name, text) => { if (text) list.append(el("dt", {}, name), el("dd", {}, text)); };
  fact("Client", set.client[i] ? clientName(set.client[i]) : "");
  fact("Object", set.object[i] ? facts.objects[set.object[i] - 1] : "");
  if (set.part) fact("Part", parts[set.part[i]].name);
  fact("Remark", set.remarks.get(i));
  fact("Number", `#${set.id[i]}${set.line[i] ? `, line ${set.line[i]}` : ""}`);
  fact("Open", set.ret[i] === NEVER ? `from event ${set.call[i]}; pending: may have taken effect at any time since, or never` : `events ${set.call[i]} to ${set.ret[i]}${set.ranks ? " of the whole history" : ""}`);
  if (clock) {
    fact("Time", openText(set, i));
    fact("Clock", set.ret[i] === NEVER ? readingText(set.at[i]) : `${readingText(set.at[i])} to ${readingText(set.until[i])}${clock.unit ? ` ${clock.unit}` : ""}`);
  }
  if (clock) fact("Date", datesText(set, i));
  if (set.unknown[i]) fact("Result", "not known");
  if (order) fact("Order", places[i] >= 0 ? `step ${places[i] + 1} of ${order.ids.length}` : "not part of it");
  if (order && places[i] >= 0) {
    fact("State before", stateAt(order, places[i], false));
    fact("State after", stateAt(order, places[i], true));
  }
  if (shown.marks.failing === i && shown.explanation.allowed) fact("Allowed", shown.explanation.allowed);
  return list;
}

let detailed = undefined;
function showDetails() {
  const i = focused(), fault = i === null ? shown.fault : null, key = `${state.part}:${i}:${faults.indexOf(fault)}:${shown.hovered === null}:${state.order}:${state.axis}`;
  if (key === detailed) return;
  detailed = key;
  const box = $("details");
  box.hidden = i === null && !fault;
  box.classList.toggle("hovered", shown.hovered !== null && i !== state.selected);
  const close = el("button", { class: "close", "aria-label": "Close", onclick: () => select(null) }, "✕");
  if (fault) box.replaceChildren(...faultDetails(fault), close);
  if (i === null) return;
  const tag = shown.marks.failing === i ? el("span", { class: "chip bad" }, "fails") : shown.marks.core.has(i) ? el("span", { class: "chip core" }, "core") : null;
  box.replaceChildren(el("h2", {}, label(shown.set, i), " ", tag), detailsOf(i), ...orderWith(i), close);
}
