// What could come next after an order and why it does not, and the order that gets furthest with an operation: html/orders.rs
// has found them.

/** Why an operation cannot come next; null if it can. */
function obstacle(set, i, fits) {
  if (fits === true) return null;
  if (fits === "waits") return "cannot take effect in this state";
  const ret = retText(set, i);
  if (fits === false) return ret === null ? "does not fit this state" : `does not fit this state: it returned ${ret}`;
  return `would return ${fits.join(" or ")}${ret === null ? "" : `, not ${ret}`}`;
}

/** An operation that has to come before this one and is not in the order; null if there is none. */
function missingBefore(set, i, places) {
  for (let k = 0; k < set.n; k++) {
    if (places[k] < 0 && k !== i && set.ret[k] < set.call[i]) return k;
  }
  return null;
}

/** The operations that could come next after an order, each with what is against it. */
function nextList(number) {
  const { set, explanation, marks } = shown, next = explanation && explanation.orders.next[number];
  if (!next) return [];
  const row = (i, ...text) => el("li", {}, operationLink(i), " ", el("span", { class: "quiet" }, clientName(set.client[i])), el("br"), ...text);
  const rows = next.map(([i, fits]) => {
    const against = obstacle(set, i, fits);
    const could = set.ret[i] === NEVER ? "could come next; it never returned" : "could come next";
    return row(i, el("span", { class: against ? "against" : "quiet" }, against || could));
  });
  const places = placesIn(set, set.orders[number]), { failing } = marks;
  if (failing !== null && places[failing] < 0 && !next.some(([i]) => i === failing)) {
    const before = missingBefore(set, failing, places);
    if (before !== null) rows.push(row(failing, "has to come after ", operationLink(before)));
  }
  if (rows.length === 0) return [];
  return [el("h2", {}, "What could come next"), el("ul", { class: "next" }, ...rows)];
}

/** Which order contains the operation, for a violation: `[number of the order, sentence]`. */
function orderOf(i) {
  const { set, marks, explanation } = shown, { with: sought, partials } = explanation.orders;
  const { failing } = marks;
  if (failing === null || set.part) return [null, ""];
  const known = sought.find(([id]) => id === i);
  if (set.call[i] > set.ret[failing]) {
    return [null, el("span", {}, "None: it was called after ", operationLink(failing), " had returned, and no order explains everything up to that return.")];
  }
  if (known && known[1] === "none") return [null, "None: whatever comes before it, it cannot have returned this."];
  if (known && known[1] === null) return [null, "Not known: it was not found in the time that an explanation may take."];
  if (known) return [known[1], `${count(set.orders[known[1]].ids.length, "step")}, the furthest with this result`];
  const holds = set.orders.findIndex((order, k) => k < partials && order.ids.includes(i));
  if (holds >= 0) return [holds, `${count(set.orders[holds].ids.length, "step")}, the longest before the failing return`];
  if (set.ret[i] === NEVER && partials > 0) return [0, "It never returned, and the longest order does without it."];
  return [null, ""];
}

/** Where an operation is in the order that is followed, else in the longest that contains it, and why it cannot come next. */
function placeLines(i) {
  const { set, order, places, explanation } = shown;
  if (!order) return [];
  if (places[i] >= 0) {
    const after = stateAt(order, places[i], true);
    return [`step ${places[i] + 1} of ${order.ids.length}` + (after === undefined ? "" : `, then ${after}`)];
  }
  if (!explanation) return ["not part of the order"];
  const [number, why] = orderOf(i), other = number === null ? null : set.orders[number], lines = [];
  if (other) {
    const step = other.ids.indexOf(i);
    lines.push(step >= 0 ? `step ${step + 1} of ${other.ids.length} in the longest order with it` : why);
  } else if (why) lines.push((why.textContent ?? why).replace(/^None: /, "no order has it: "));
  const next = (explanation.orders.next[state.order] || []).find(([id]) => id === i);
  if (next) lines.push(`after step ${order.ids.length}: ${obstacle(set, i, next[1]) || "could come next"}`);
  return lines.length ? lines : ["not part of the order"];
}

/** The order that gets furthest with an operation, and what stops it. */
function orderWith(i) {
  if (!shown.explanation) return [];
  const [number, text] = orderOf(i);
  if (!text) return [];
  const follow = () => { state.step = -1; chooseOrder(number, null); openTab("order"); goToStep(shown.places[i] >= 0 ? shown.places[i] : shown.order.ids.length - 1); };
  const button = number === null ? null : el("button", { id: "follow", onclick: follow }, "Follow it");
  return [el("h3", {}, "Longest order with it"), el("p", { id: "with" }, text, " ", button), ...(number === null ? [] : nextList(number))];
}
