// Draws the timeline: client names on the left, the axis at the top, bars in lanes, and the order as a line
// through the points at which operations take effect. `scene` describes what to draw; it is not changed here.

const AXIS = 26;
const FAULT_LANE = 22;
const NARROWEST = 3;
const CELL = 2;
const MAX_POINTS = 600;
const MONO_WIDTH = 0.602;
const MAX_MARKS = 2000;

function laneHeight(scene) {
  const count = scene.layout.lanes.length;
  const fits = (scene.height - topOf(scene) - 6) / Math.max(1, count);
  return fits >= 38 ? 38 : fits >= 24 ? Math.floor(fits) : count > 60 ? 18 : 24;
}

function topOf(scene) { return AXIS + scene.faultRows.length * FAULT_LANE; }
function toPixel(scene, x) { return scene.gutter + (x - scene.x0) * scene.scale; }
function rowTop(scene, row) { return topOf(scene) + 4 + row * scene.laneHeight - scene.scroll; }

function drawScene(p, scene) {
  const { width, height, gutter } = scene;
  p.rect(0, 0, width, height, { fill: "ground" });
  const top = topOf(scene);
  p.within(0, top, width, height - top, () => drawStripes(p, scene));
  p.within(gutter, 0, width - gutter, height, () => {
    drawAxis(p, scene);
    drawFaults(p, scene);
    if (scene.axis === "order") drawOrderEnd(p, scene);
  });
  p.within(gutter, top, width - gutter, height - top, () => {
    scene.layout.lanes.forEach((lane, row) => {
      const y = rowTop(scene, row);
      if (y + scene.laneHeight < top || y > height) return;
      if (lane.isFirst) drawFailed(p, scene, lane, y);
      drawLane(p, scene, lane, y);
      if (lane.isFirst) drawNotes(p, scene, lane, y);
    });
    drawMarks(p, scene);
    if (scene.axis !== "order") drawOrders(p, scene);
  });
  drawNames(p, scene);
}

function drawStripes(p, scene) {
  let owner = null, odd = false;
  scene.layout.lanes.forEach((lane, row) => {
    if (lane.owner !== owner) { owner = lane.owner; odd = !odd; }
    const y = rowTop(scene, row);
    if (y > scene.height || y + scene.laneHeight < 0) return;
    if (odd) p.rect(0, y, scene.width, scene.laneHeight, { fill: "raised" });
  });
}

/** Round distances: 1, 2 or 5 times a power of ten, at least `least`. */
function tickDistance(scale, least) {
  const wanted = Math.max(least, 90 / scale);
  const power = 10 ** Math.floor(Math.log10(wanted) + 1e-9);
  return [1, 2, 5, 10].map((m) => m * power).find((d) => d >= wanted * 0.999) || 10 * power;
}

function drawAxis(p, scene) {
  // Round numbers of the unit of the clock are not round numbers of ticks.
  const step = scene.axis === "clock" ? clock.step : 1;
  const distance = tickDistance(scene.scale / step, step) / step;
  const last = scene.x0 + (scene.width - scene.gutter) / scene.scale;
  p.rect(scene.gutter, 0, scene.width, AXIS, { fill: "ground" });
  for (let k = Math.max(0, Math.ceil(scene.x0 / distance)); k * distance <= last; k++) {
    const x = k * distance;
    // Steps are counted from one, and the number is in the middle of its step.
    if (scene.axis === "order" && (x === 0 || x > scene.layout.bars.placed)) continue;
    const at = Math.round(toPixel(scene, scene.axis === "order" ? x - 0.5 : x)) + 0.5;
    p.lines([[at, AXIS - 5], [at, scene.height]], { stroke: "faint" });
    // Keep numbers at the edges fully visible.
    const text = scene.axis === "clock" ? timeText(x, distance) : x.toLocaleString("en"), half = text.length * 3.4;
    const middle = Math.min(Math.max(at, scene.gutter + half + 2), scene.width - half - 2);
    p.text(middle, AXIS / 2 - 1, text, { fill: "quiet", size: 11, align: "center" });
  }
  p.lines([[scene.gutter, AXIS - 0.5], [scene.width, AXIS - 0.5]], { stroke: "line" });
}

function drawFaults(p, scene) {
  scene.faultRows.forEach(({ items }, row) => {
    const y = AXIS + row * FAULT_LANE;
    let last = -Infinity;
    items.forEach((fault, k) => {
      const x = toPixel(scene, fault.x), isBand = fault.to !== null, fill = fault.color;
      const end = isBand ? toPixel(scene, fault.end) : x;
      if (end < scene.gutter - 400 || x > scene.width) return;
      // Draw at most one per pixel.
      if (x - last < 1 && !isBand) return;
      const next = k + 1 < items.length ? toPixel(scene, items[k + 1].x) : scene.width;
      last = x;
      if (isBand) {
        p.rect(x, y, Math.max(2, end - x), scene.height, { fill, alpha: 0.07 });
        p.rect(x, y + 4, Math.max(3, end - x), FAULT_LANE - 8, { fill, alpha: 0.3, radius: 3 });
      } else {
        p.lines([[x, y + 3], [x, scene.height]], { stroke: fill, dash: [2, 4], alpha: 0.45 });
        p.dot(x, y + FAULT_LANE / 2, 4, { fill });
      }
      // The label of a band that began before the window is at its edge.
      const from = isBand && end > scene.gutter ? Math.max(x, scene.gutter) : x;
      const room = Math.min(isBand ? Math.max(end, next) : next, scene.width) - from - 14;
      const text = cut(fault.text, room, 11);
      if (text) p.text(from + 8, y + FAULT_LANE / 2, text, { fill: fill === "fault" ? fill : "ink", size: 11 });
    });
  });
}

function drawOrderEnd(p, scene) {
  const { placed, extent } = scene.layout.bars;
  if (placed >= extent) return;
  const x = toPixel(scene, placed + 0.5);
  p.lines([[x, AXIS], [x, scene.height]], { stroke: "bad", dash: [5, 4], width: 1.5 });
  const y = scene.height - 12;
  p.text(x - 8, y, "in the order", { fill: "quiet", size: 11, align: "right" });
  p.text(x + 8, y, "not in the order", { fill: "quiet", size: 11 });
}

/** Draws the operations of a lane that did not happen, as thin bars below the others. */
function drawFailed(p, scene, lane, y) {
  let last = -Infinity;
  for (const { x, end } of scene.failed.get(lane.owner) || []) {
    if (end < scene.x0 || x > scene.x1) continue;
    const from = toPixel(scene, x), to = Math.max(from + 4, toPixel(scene, end));
    if (to - last < 1) continue;
    last = to;
    p.rect(from, y + scene.laneHeight - 5, to - from, 3, { fill: "quiet", alpha: 0.55 });
  }
}

/** Draws the bars of a lane. Bars that are too narrow are drawn as the density of each cell. */
function drawLane(p, scene, lane, y) {
  const { x0, scale, width, gutter } = scene;
  const x1 = x0 + (width - gutter) / scale;
  const h = scene.laneHeight;
  let run = null;
  const flush = () => {
    if (run) p.rect(run.x, y + 4, run.w, h - 8, { fill: "dense", alpha: 0.15 + 0.75 * run.level / 6 });
    run = null;
  };
  let k = Math.max(0, firstAbove(lane.start, x0) - 1);
  while (k < lane.count && lane.start[k] < x1) {
    const w = (lane.end[k] - lane.start[k]) * scale;
    if (w >= NARROWEST) {
      flush();
      const next = k + 1 < lane.count ? toPixel(scene, lane.start[k + 1]) : width;
      drawBar(p, scene, lane.items[k], toPixel(scene, lane.start[k]), y, w, h, next);
      k++;
      continue;
    }
    const cell = Math.floor(toPixel(scene, lane.start[k]) / CELL) * CELL;
    const next = firstAboveFrom(lane.start, x0 + (cell + CELL - gutter) / scale, k);
    const to = Math.max(next, k + 1);
    const busy = (lane.busy[to] - lane.busy[k]) * scale / CELL;
    if (to === k + 1 && !run) {
      // A single bar keeps its colour.
      p.rect(cell, y + 4, CELL, h - 8, { fill: kindColour(scene.set.kind[lane.items[k]]), alpha: 0.75 });
      k = to;
      continue;
    }
    const level = Math.max(1, Math.min(6, Math.ceil(busy * 6)));
    if (run && run.level === level && run.x + run.w >= cell) run.w = cell + CELL - run.x;
    else { flush(); run = { x: cell, w: CELL, level }; }
    k = to;
  }
  flush();
}

function kindColour(kind) { return "kind-" + (kind < 7 ? kind : 7); }

/** Colours and opacity of an operation. */
function lookOf(scene, i) {
  const { marks, places, step } = scene;
  if (marks.failing === i) return { fill: "bad", alpha: 0.9, stroke: "bad", ink: "ground", bold: true };
  const later = step >= 0 && (places[i] < 0 || places[i] > step);
  if (marks.core.has(i)) return { fill: "core", alpha: later ? 0.45 : 0.95, stroke: "core", ink: later ? "ink" : "core-ink", bold: true };
  const fill = kindColour(scene.set.kind[i]);
  return { fill, alpha: later ? 0.07 : 0.24, stroke: fill, ink: later ? "quiet" : "ink", bold: false };
}

function drawBar(p, scene, i, x, y, w, h, next) {
  const look = lookOf(scene, i);
  const pending = scene.set.ret[i] === NEVER && scene.axis !== "order";
  const unplaced = scene.axis === "order" && scene.places[i] < 0;
  const top = y + 3, tall = h - 6;
  const left = Math.max(x, scene.gutter - 8);
  let right = Math.min(x + w, scene.width + 8);
  if (pending) {
    // Fades out within the screen, wherever it began.
    right = Math.min(right, Math.max(left + 60, x + Math.max(160, (scene.width - scene.gutter) * 0.7)));
    p.fade(left, top, right - left, tall, { fill: look.fill, alpha: Math.min(0.95, look.alpha + 0.15) });
    p.lines([[x, top], [x, top + tall]], { stroke: look.stroke, width: 2 });
  } else {
    const dash = scene.set.unknown[i] || unplaced ? [3, 3] : undefined;
    const wide = right - left;
    p.rect(left + 0.5, top + 0.5, Math.max(1, wide - 1), tall - 1, {
      fill: look.fill, alpha: unplaced && !look.bold ? 0.08 : look.alpha, radius: wide > 10 ? 4 : 1,
      stroke: wide > 5 ? look.stroke : undefined, dash,
    });
  }
  const size = h >= 22 ? 12 : 10;
  const inner = Math.max(left, scene.gutter);
  const room = Math.min(right, scene.width) - inner - 12;
  const free = Math.min(next, scene.width) - right - 12;
  if (Math.max(room, free) < 16) return;
  const whole = scene.axis === "order" && scene.places[i] >= 0 ? labelIn(scene.set, i, scene.order) : label(scene.set, i);
  const needed = whole.length * size * MONO_WIDTH;
  const at = y + h / 2 + 0.5, style = { size, mono: true, bold: look.bold };
  // Inside the bar if the label fits, else after the bar if it fits there, else cut.
  if (needed > room && (look.fill === "bad" || needed <= free) && right > scene.gutter) {
    // drawMarks labels the failing operation.
    if (look.fill !== "bad") p.text(right + 5, at, whole, { ...style, fill: "ink" });
    return;
  }
  const text = cut(whole, room, size, true);
  if (text) p.text(inner + 6, at, text, { ...style, fill: look.ink });
}

function cut(text, room, size, mono = false) {
  const fits = Math.floor(room / (size * (mono ? MONO_WIDTH : 0.56)));
  if (text.length <= fits) return text;
  return fits >= 3 ? text.slice(0, fits - 1) + "…" : "";
}

/** Draws what must be visible at any zoom: the core, the failing operation, search hits, the selection. */
function drawMarks(p, scene) {
  const { layout, marks } = scene;
  const box = (i, draw) => {
    const row = layout.rowOf(i);
    if (row < 0) return;
    const x = toPixel(scene, layout.bars.start[i]);
    const end = layout.bars.end[i] === Infinity ? x + 8 : toPixel(scene, layout.bars.end[i]);
    if (end < scene.gutter || x > scene.width) return;
    draw(x, rowTop(scene, row), end - x);
  };
  const h = scene.laneHeight;
  for (const i of scene.hits.slice(0, 20000)) {
    box(i, (x, y, w) => p.rect(x - 1, y + 1.5, Math.max(3, w + 2), h - 3, { stroke: "hit", width: 2, radius: 4 }));
  }
  const small = (fill) => (x, y, w) => {
    if (w < NARROWEST + 3) p.rect(x - 2, y + 2, 6, h - 4, { fill, radius: 2 });
  };
  if (marks.core.size <= MAX_MARKS) for (const i of marks.core) box(i, small("core"));
  if (marks.failing !== null) {
    box(marks.failing, small("bad"));
    box(marks.failing, (x, y, w) => {
      const text = label(scene.set, marks.failing), needed = text.length * 12 * MONO_WIDTH;
      if (needed <= w - 12) return;
      const from = failingLabelAt(scene, x, w, needed);
      if (from === null) {
        // No side is free. It is cut to fit into its own bar, and hides nothing.
        const short = cut(text, w - 12, 12, true);
        if (short) p.text(Math.max(x, scene.gutter) + 6, y + h / 2 + 0.5, short, { fill: "ground", size: 12, mono: true, bold: true });
        return;
      }
      p.rect(from - 3, y + 4, needed + 6, h - 8, { fill: "ground", alpha: 0.88, radius: 3 });
      p.text(from, y + h / 2 + 0.5, text, { fill: "bad", size: 12, mono: true, bold: true });
    });
    if (scene.axis !== "order") {
      const x = Math.round(toPixel(scene, layout.bars.end[marks.failing])) + 0.5;
      p.lines([[x, 0], [x, scene.height]], { stroke: "bad", width: 1.5, dash: [5, 4] });
    }
  }
  const ring = (i, stroke) => box(i, (x, y, w) =>
    p.rect(Math.max(x, scene.gutter - 6) - 2, y + 1, Math.min(Math.max(4, w), scene.width) + 4, h - 2, { stroke, width: 2, radius: 5 }));
  if (scene.step >= 0 && scene.order && scene.axis === "order") ring(scene.order.ids[scene.step], "step");
  if (scene.selected !== null) ring(scene.selected, "select");
  if (scene.hovered !== null && scene.hovered !== scene.selected) ring(scene.hovered, "compare");
}

/**
 * Where the label of the failing operation starts, if it does not fit into its bar: after the bar if no other bar is there;
 * before it if its lane is empty up to there, since labels of earlier bars may follow them. `null` if that is nowhere.
 */
function failingLabelAt(scene, x, w, needed) {
  const { layout, marks } = scene;
  const lane = layout.laneOf(marks.failing);
  const k = lane.items.indexOf(marks.failing);
  const after = x + Math.max(w, 4) + 5, before = x - needed - 7;
  const next = k + 1 < lane.count ? toPixel(scene, lane.start[k + 1]) : Infinity;
  if (after >= scene.gutter && after + needed + 6 <= Math.min(scene.width, next)) return after;
  const last = k > 0 ? toPixel(scene, lane.end[k - 1]) : -Infinity;
  return before >= scene.gutter && last < scene.gutter ? before : null;
}

/** Draws the chosen order, and the one it is compared with, as lines through points. */
function drawOrders(p, scene) {
  if (scene.compare) drawOrder(p, scene, scene.compare, scene.comparePoints, "compare", true);
  else if (scene.preview) drawOrder(p, scene, scene.preview, scene.previewPoints, "compare", true);
  if (scene.order) drawOrder(p, scene, scene.order, scene.points, "step", false);
}

function drawOrder(p, scene, order, points, stroke, dashed) {
  const x1 = scene.x0 + (scene.width - scene.gutter) / scene.scale;
  const from = Math.max(0, firstAbove(points, scene.x0) - 1);
  const to = Math.min(points.length, firstAbove(points, x1) + 1);
  if (to - from > MAX_POINTS) return;
  const path = [];
  for (let k = from; k < to; k++) {
    const row = scene.layout.rowOf(order.ids[k]);
    if (row < 0) continue;
    const nudge = dashed ? scene.laneHeight * 0.18 : 0;
    path.push([toPixel(scene, points[k]), rowTop(scene, row) + scene.laneHeight - 4 - nudge, k]);
  }
  const roomy = path.length < 2 || (scene.width - scene.gutter) / path.length > 7;
  if (!roomy) return;
  p.lines(path, { stroke, width: dashed ? 1.5 : 1.25, alpha: dashed ? 0.8 : 0.5, dash: dashed ? [4, 3] : undefined });
  if (!dashed && to === points.length && path.length) drawObstacles(p, scene, path[path.length - 1]);
  for (const [x, y, k] of path) {
    const now = !dashed && k === scene.step;
    p.dot(x, y, now ? 6 : 3, { fill: now || scene.step < 0 || k < scene.step ? stroke : "ground", stroke: now ? "ground" : stroke });
  }
  const i = scene.hovered ?? scene.selected, focus = path.find(([, , k]) => order.ids[k] === i);
  // In two orders, an operation is usually at the same point.
  if (focus && (!dashed || scene.places[i] < 0)) drawNumber(p, focus, stroke);
}

/** The number of a step, at its point. */
function drawNumber(p, [x, y, k], fill) {
  const text = (k + 1).toLocaleString("en"), wide = text.length * 7 + 8;
  p.rect(x - wide / 2, y - 8, wide, 16, { fill, stroke: "ground", radius: 7 });
  p.text(x, y + 0.5, text, { fill: "ground", size: 11, align: "center", bold: true });
}

/** Draws lines from the end of the order to the operations that cannot come next. */
function drawObstacles(p, scene, [x, y]) {
  const { explanation, layout, set } = scene;
  const next = explanation && scene.step < 0 ? explanation.orders.next[state.order] : null;
  for (const [i, fits] of next || []) {
    const row = layout.rowOf(i);
    if (row < 0 || obstacle(set, i, fits) === null) continue;
    const to = Math.max(x + 14, toPixel(scene, layout.bars.start[i]) + 4), at = rowTop(scene, row) + scene.laneHeight - 4;
    p.lines([[x, y], [to, at]], { stroke: "bad", width: 1.25, alpha: 0.7, dash: [2, 3] });
    p.lines([[to - 4, at - 4], [to + 4, at + 4]], { stroke: "bad", width: 2 });
    p.lines([[to - 4, at + 4], [to + 4, at - 4]], { stroke: "bad", width: 2 });
  }
}

function drawNames(p, scene) {
  const top = topOf(scene);
  p.rect(0, 0, scene.gutter, scene.height, { fill: "ground" });
  p.within(0, top, scene.gutter, scene.height - top, () => {
    drawStripes(p, scene);
    scene.layout.lanes.forEach((lane, row) => {
      const y = rowTop(scene, row);
      if (!lane.isFirst || y > scene.height || y + scene.laneHeight < top) return;
      p.text(scene.gutter - 8, y + scene.laneHeight / 2, cut(laneName(scene, lane), scene.gutter - 14, 12), { align: "right", fill: "quiet" });
    });
  });
  scene.faultRows.forEach(({ name }, row) => {
    p.text(scene.gutter - 8, AXIS + (row + 0.5) * FAULT_LANE, cut(name, scene.gutter - 14, 11), { align: "right", fill: "fault", size: 11 });
  });
  p.text(8, AXIS / 2 - 1, { order: "step", time: "event", clock: "time" }[scene.axis], { fill: "quiet", size: 11 });
  p.lines([[scene.gutter - 0.5, 0], [scene.gutter - 0.5, scene.height]], { stroke: "line" });
}
