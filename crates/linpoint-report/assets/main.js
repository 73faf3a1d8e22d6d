// Connects everything: buttons, theme, link, help, export. Then shows the failure.

function toggleTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true);
}

let themeChosen = false;
function setTheme(theme, chosen) {
  themeChosen = chosen;
  document.documentElement.dataset.theme = theme;
  readPalette();
  changed();
}

function togglePanel(open = !state.panel) {
  state.panel = open;
  $("main").classList.toggle("wide", !open);
  changed();
}

function saveSvg() {
  const blob = new Blob([svgNow()], { type: "image/svg+xml" });
  const link = el("a", { href: URL.createObjectURL(blob), download: "timeline.svg" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function svgNow() {
  const scene = sceneNow(), painter = new SvgPainter(scene.width, scene.height);
  drawScene(painter, scene);
  return painter.finish();
}

// ---- the link ----

function writeLink() {
  const link = new URLSearchParams();
  if (parts.length > 1) link.set("part", state.part === ALL ? "all" : String(state.part));
  link.set("x", `${r2(state.x0)},${r2(state.x1)}`);
  if (state.axis !== "time") link.set("axis", state.axis);
  if (state.unfolded) link.set("lanes", "all");
  if (state.blank) link.set("blank", "yes");
  if (state.scroll) link.set("y", String(Math.round(state.scroll)));
  if (state.selected !== null) link.set("op", String(state.selected));
  if (state.order !== bestOrder()) link.set("order", String(state.order));
  if (state.compare !== null) link.set("with", String(state.compare));
  if (state.step >= 0) link.set("step", String(state.step));
  if (state.query) link.set("q", state.query);
  if (state.tab !== "verdict") link.set("tab", state.tab);
  if (!state.panel) link.set("panel", "no");
  if (themeChosen) link.set("theme", document.documentElement.dataset.theme);
  for (const [name, hidden] of Object.entries(state.hidden)) if (hidden.size) link.set("hide-" + name, [...hidden].join("."));
  return "#" + link.toString().replaceAll("%2C", ",");
}

let written = "", linkDelay = 0;
function keepLink() {
  clearTimeout(linkDelay);
  linkDelay = setTimeout(() => {
    const link = writeLink();
    if (link === written) return;
    written = link;
    // Some browsers refuse this for local files; the page works without it.
    try { history.replaceState(null, "", link); } catch { /* keep the old address */ }
  }, 150);
}

/** Restores the view of a link. Links are untrusted input: invalid values are ignored. */
function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const number = (name, below) => {
    const n = Number(link.get(name));
    return link.has(name) && Number.isInteger(n) && n >= 0 && n < below ? n : null;
  };
  for (const [name, hidden] of Object.entries(state.hidden)) {
    hidden.clear();
    for (const key of (link.get("hide-" + name) || "").split(".")) if (/^\d+$/.test(key)) hidden.add(Number(key));
  }
  const failing = facts.explanations.length ? facts.explanations[0].part : null;
  const otherwise = failing ?? (parts.length > 1 && facts.operations <= 2e6 ? ALL : 0);
  const part = link.get("part") === "all" ? ALL : number("part", parts.length) ?? otherwise;
  state.axis = link.get("axis") === "clock" && clock ? "clock" : "time";
  state.unfolded = link.get("lanes") === "all";
  state.blank = link.get("blank") === "yes";
  state.step = -1;
  showPart(part);
  if (link.has("order") || link.has("with")) chooseOrder(number("order", 1e6) ?? state.order, number("with", 1e6));
  if (link.get("axis") === "order" && shown.order) { state.axis = "order"; layOutAgain(); }
  firstWindow();
  const window = (link.get("x") || "").split(",").map(Number);
  if (window.length === 2 && window.every(Number.isFinite) && window[0] < window[1]) look(...window);
  const scrolled = number("y", 1e7);
  if (scrolled !== null) { followed = null; state.scroll = scrolled; }
  state.selected = number("op", shown.set.n);
  if (state.selected !== null && !shown.layout.has(state.selected)) state.selected = null;
  preview();
  const step = shown.order ? number("step", shown.order.ids.length) : null;
  state.step = step ?? -1;
  if (["light", "dark"].includes(link.get("theme"))) setTheme(link.get("theme"), true);
  togglePanel(link.get("panel") !== "no");
  $("search").value = link.get("q") || "";
  search($("search").value);
  openTab(link.get("tab") || "verdict");
}

// ---- updates after each drawing ----

let reasonShown = null;
/** The sentence, with links; and the part, if there are several. */
function showReason(reason) {
  const key = `${state.part}:${reason}`;
  if (key === reasonShown) return;
  reasonShown = key;
  $("reason").replaceChildren(...linked(reason));
  $("reason").hidden = !reason;
  $("part").hidden = parts.length < 2;
  $("part").textContent = state.part === ALL ? "all parts" : parts.length ? parts[state.part].name : "";
}

let lastStep = null;
function updateControls(scene) {
  const { order } = shown;
  $("axis-clock").setAttribute("aria-pressed", String(state.axis === "clock"));
  $("axis-clock").hidden = !clock;
  $("axis-time").setAttribute("aria-pressed", String(state.axis === "time"));
  $("axis-order").setAttribute("aria-pressed", String(state.axis === "order"));
  $("axis-order").disabled = !order;
  $("zoom-core").disabled = !failureWindow();
  $("zoom-core").hidden = facts.outcome !== "bad";
  $("fold").hidden = !hasChains;
  $("fold").setAttribute("aria-pressed", String(state.unfolded));
  const { blank } = scene.layout;
  $("blank").hidden = blank === 0;
  $("blank").textContent = state.blank ? "Hide blank lanes" : `+ ${count(blank, "blank lane")}`;
  $("blank").setAttribute("aria-pressed", String(state.blank));
  $("steps").hidden = !order;
  if (order) {
    $("step-text").textContent = state.step < 0 ? count(order.ids.length, "step") : `${(state.step + 1).toLocaleString("en")} / ${order.ids.length.toLocaleString("en")}`;
    $("step-back").disabled = $("step-first").disabled = state.step < 0;
    $("step-next").disabled = $("step-last").disabled = state.step >= order.ids.length - 1;
  }
  const why = shown.explanation;
  const reason = why ? why.reason : facts.outcome === "undecided" ? `The search was ${facts.stopped}.` : "";
  showReason(reason);
  const bar = $("scrollbar");
  bar.hidden = scene.overflow === 0;
  $("scroll-size").style.height = (scene.overflow + bar.clientHeight) + "px";
  if (Math.abs(bar.scrollTop - state.scroll) > 1) bar.scrollTop = state.scroll;
  $("empty").hidden = shown.layout.shown > 0;
  $("empty").textContent = shown.set.n === 0 ? "The history has no operations." : "All operations are hidden by filters.";
  showDetails();
  const now = `${state.part}:${state.order}:${state.step}`;
  if (now !== lastStep) {
    lastStep = now;
    if ($("state-now")) $("state-now").textContent = stateText();
    if (stepList && state.step >= 0) stepList.reveal(state.step); else if (stepList) stepList.show();
    if (state.step >= 0) $("live").textContent = `${labelIn(shown.set, order.ids[state.step], order)}. ${stateText()}`;
  } else if ($("state-now") && !$("state-now").textContent) $("state-now").textContent = stateText();
  followHovered();
  keepLink();
}

let listed = null;
/** The list of steps shows the one under the pointer, and the current one again after that. */
function followHovered() {
  if (shown.hovered === listed) return;
  listed = shown.hovered;
  const place = listed === null ? state.step : shown.places[listed];
  if (stepList && place >= 0) stepList.reveal(place); else if (stepList) stepList.show();
}

function fillHelp() {
  const keys = el("div", { class: "keys" });
  for (const [key, what] of KEYS) keys.append(el("span", {}, ...key.split(", ").flatMap((k, n) => (n ? [" ", el("kbd", {}, k)] : [el("kbd", {}, k)]))), el("span", {}, what));
  const legend = [["core", "core: these operations contradict each other"], ["bad", "the return that no order explains"], ["hit", "found by search"], ["fault", "faults and other events"], ["dense", "many operations: the stronger the colour, the more of them"]];
  $("help").replaceChildren(
    el("form", { method: "dialog" }, el("button", {}, "Close")),
    el("h2", {}, "Reading the timeline"),
    el("p", {}, "Each bar is an operation, from its call to its return, in the lane of its client. The line connects the points at which the operations take effect, in order."),
    el("ul", { class: "legend" }, ...legend.map(([name, text]) => el("li", {}, swatch(name), text)), el("li", {}, swatch("fading"), "pending: it may take effect at any later time, or never")),
    el("h2", {}, "Keys"), keys);
}

function bindButtons() {
  const on = (id, action) => $(id).addEventListener("click", action);
  on("theme", toggleTheme);
  on("help-open", () => $("help").showModal());
  on("axis-clock", () => setAxis("clock"));
  on("axis-time", () => setAxis("time"));
  on("blank", () => setBlank(!state.blank));
  on("fold", () => setFolded(state.unfolded));
  on("axis-order", () => setAxis("order"));
  on("zoom-in", () => zoom(0.5));
  on("zoom-out", () => zoom(2));
  on("zoom-fit", () => showAll());
  on("zoom-core", () => showFailure());
  on("step-first", () => goToStep(-1));
  on("step-back", () => goToStep(state.step - 1));
  on("step-next", () => goToStep(state.step + 1));
  on("step-last", () => goToStep(shown.order.ids.length - 1));
  on("export", saveSvg);
  on("panel-toggle", () => togglePanel());
  $("help").addEventListener("click", (event) => { if (event.target === $("help")) $("help").close(); });
  $("scrollbar").addEventListener("scroll", () => {
    if (Math.abs($("scrollbar").scrollTop - state.scroll) > 1) scroll($("scrollbar").scrollTop - state.scroll);
  });
}

const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(dark.matches ? "dark" : "light", false);
dark.addEventListener("change", () => { if (!themeChosen) setTheme(dark.matches ? "dark" : "light", false); });
fillHead();
fillHelp();
bindButtons();
bindCanvas();
bindMap();
bindKeys();
listeners.push(updateControls);
new ResizeObserver(changed).observe($("stage"));
readLink();
window.addEventListener("hashchange", () => { if (location.hash !== written) readLink(); });
// What is above the timeline first: it decides how much room there is.
updateControls(sceneNow());
render();
/** Where a bar is in the timeline: whether any of it is in the window, and its lane above the lower edge. */
function isInView(i) {
  const scene = sceneNow(), row = scene.layout.rowOf(i), y = rowTop(scene, row);
  const { start, end } = scene.layout.bars;
  return row >= 0 && start[i] <= state.x1 && end[i] >= state.x0 && y >= topOf(scene) - 1 && y + scene.laneHeight <= scene.height + 1;
}
/** A point on the bar of an operation, in the window of the browser. */
function pointOf(i) {
  const scene = sceneNow(), box = canvas.getBoundingClientRect(), { start, end } = scene.layout.bars;
  const from = Math.max(start[i], state.x0), to = Math.min(end[i] === Infinity ? start[i] : end[i], state.x1);
  return [box.left + toPixel(scene, (from + Math.max(from, to)) / 2) + 1, box.top + rowTop(scene, scene.layout.rowOf(i)) + scene.laneHeight / 2];
}
// For tests and for the console.
window.linpoint = { pointOf, state, shown, facts, svg: svgNow, goToStep, select, search, draw: render, isInView };
