// A table of histories that sorts and filters.

const facts = JSON.parse($("facts").textContent);
const entries = facts.entries.map(([name, verdict, model, operations, seconds, time, reason, link], number) =>
  ({ number, name, verdict, model, operations, seconds, time, reason, link, text: `${name} ${model} ${reason}`.toLowerCase() }));

const VERDICTS = { bad: "not linearizable", undecided: "undecided", error: "error", ok: "linearizable" };
const MARKS = { bad: "✗", undecided: "?", error: "!", ok: "✓" };
const RANK = Object.keys(VERDICTS);
/** More rows than this are added on demand. */
const PAGE = 1000;

const compareText = new Intl.Collator("en", { numeric: true }).compare;
const COLUMNS = {
  verdict: ["Verdict", (a, b) => RANK.indexOf(a.verdict) - RANK.indexOf(b.verdict)],
  name: ["History", (a, b) => compareText(a.name, b.name)],
  model: ["Model", (a, b) => compareText(a.model, b.model)],
  operations: ["Operations", (a, b) => b.operations - a.operations],
  time: ["Time", (a, b) => b.seconds - a.seconds],
  reason: ["Reason", (a, b) => !a.reason - !b.reason || compareText(a.reason, b.reason)],
};

const view = { sort: "verdict", reversed: false, query: "", hidden: new Set(), room: PAGE };

function matching() {
  const words = view.query.toLowerCase().split(/\s+/).filter(Boolean);
  const compare = COLUMNS[view.sort][1], sign = view.reversed ? -1 : 1;
  return entries
    .filter((entry) => !view.hidden.has(entry.verdict) && words.every((word) => entry.text.includes(word)))
    .sort((a, b) => sign * compare(a, b) || a.number - b.number);
}

function row(entry) {
  const name = entry.link ? el("a", { href: encodeURIComponent(entry.link) }, entry.name) : entry.name;
  const known = entry.verdict !== "error";
  return el("tr", {},
    el("td", { class: "verdict" }, el("span", { class: `chip ${entry.verdict}` }, `${MARKS[entry.verdict]} ${VERDICTS[entry.verdict]}`)),
    el("td", { class: "name" }, name),
    el("td", { class: "model" }, entry.model),
    el("td", { class: "number" }, known ? entry.operations.toLocaleString("en") : ""),
    el("td", { class: "number" }, known ? entry.time : ""),
    el("td", { class: "reason" }, entry.reason));
}

function show() {
  const found = matching();
  $("rows").replaceChildren(...found.slice(0, view.room).map(row));
  $("found").textContent = found.length === entries.length ? "" : `${found.length.toLocaleString("en")} of ${entries.length.toLocaleString("en")}`;
  $("empty").hidden = found.length > 0;
  $("more").hidden = found.length <= view.room;
  $("more").textContent = `Show ${Math.min(PAGE, found.length - view.room).toLocaleString("en")} more of ${(found.length - view.room).toLocaleString("en")}`;
  for (const head of $("heads").children) {
    const sorted = head.dataset.column === view.sort;
    if (sorted) head.setAttribute("aria-sort", view.reversed ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
    head.querySelector("span").textContent = sorted ? (view.reversed ? " ▼" : " ▲") : "";
  }
  for (const button of $("verdicts").children) button.setAttribute("aria-pressed", String(view.hidden.size > 0 && !view.hidden.has(button.dataset.verdict)));
  keepLink();
}

function sortBy(column) {
  view.reversed = view.sort === column && !view.reversed;
  view.sort = column;
  show();
}

/** The first click on a verdict shows only it, the next one everything again. */
function choose(verdict) {
  const others = RANK.filter((other) => other !== verdict);
  const isOnly = !view.hidden.has(verdict) && others.every((other) => view.hidden.has(other));
  view.hidden = new Set(isOnly ? [] : others);
  show();
}

// ---- the link ----

function keepLink() {
  const link = new URLSearchParams();
  if (view.sort !== "verdict" || view.reversed) link.set("sort", (view.reversed ? "-" : "") + view.sort);
  if (view.query) link.set("q", view.query);
  if (view.hidden.size) link.set("show", RANK.filter((verdict) => !view.hidden.has(verdict)).join("."));
  // Some browsers refuse this for local files; the page works without it.
  try { history.replaceState(null, "", "#" + link); } catch { /* keep the old address */ }
}

function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [, reversed, sort] = /^(-?)(\w+)$/.exec(link.get("sort") || "verdict") || [null, "", "verdict"];
  view.sort = Object.hasOwn(COLUMNS, sort) ? sort : "verdict";
  view.reversed = reversed === "-";
  view.query = link.get("q") || "";
  const shown = (link.get("show") || "").split(".").filter((verdict) => RANK.includes(verdict));
  view.hidden = new Set(shown.length ? RANK.filter((verdict) => !shown.includes(verdict)) : []);
  $("search").value = view.query;
}

$("title").textContent = document.title.replace(/ · linpoint$/, "");
$("summary").textContent = facts.summary;
for (const [column, [title]] of Object.entries(COLUMNS)) {
  const head = el("th", { scope: "col", "data-column": column, class: ["operations", "time"].includes(column) ? "number" : null },
    el("button", { onclick: () => sortBy(column) }, title, el("span", { "aria-hidden": "true" })));
  $("heads").append(head);
}
for (const verdict of RANK) {
  const n = entries.filter((entry) => entry.verdict === verdict).length;
  if (n) $("verdicts").append(el("button", { "data-verdict": verdict, onclick: () => choose(verdict) }, `${VERDICTS[verdict]} ${n.toLocaleString("en")}`));
}
$("search").addEventListener("input", () => { view.query = $("search").value; view.room = PAGE; show(); });
$("more").addEventListener("click", () => { view.room += PAGE; show(); });
$("theme").addEventListener("click", toggleTheme);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === $("search")) return;
  if (event.key === "/") { event.preventDefault(); $("search").focus(); }
  if (event.key.toLowerCase() === "d") toggleTheme();
});
readLink();
show();
window.addEventListener("hashchange", () => { readLink(); show(); });
document.documentElement.dataset.painted = performance.now().toFixed(1);
// For tests and for the console.
window.linpoint = { facts, view };
