// Two painters with the same interface: one for a canvas, one for SVG text. Colours are names of CSS variables, so
// that drawings follow the theme.

let palette = {};
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  palette = {};
  for (const name of ["ground", "raised", "sunk", "line", "faint", "ink", "quiet", "bad", "core",
    "core-ink", "select", "step", "compare", "hit", "dense", "fault", "kind-0", "kind-1", "kind-2",
    "kind-3", "kind-4", "kind-5", "kind-6", "kind-7"]) {
    palette[name] = style.getPropertyValue("--" + name).trim();
  }
}

/** A colour of the palette, or one of the input, which is `#rrggbb`. */
function ink(name) { return palette[name] || name; }

const FONT_MONO = '"DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace';
const FONT_SANS = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif';

class CanvasPainter {
  constructor(context) { this.c = context; }

  rect(x, y, w, h, { fill, stroke, alpha = 1, dash, radius = 0, width = 1 }) {
    const c = this.c;
    c.beginPath();
    if (radius > 0 && w > 2 * radius) c.roundRect(x, y, w, h, radius); else c.rect(x, y, w, h);
    if (fill) { c.globalAlpha = alpha; c.fillStyle = ink(fill); c.fill(); c.globalAlpha = 1; }
    if (stroke) {
      c.strokeStyle = ink(stroke);
      c.lineWidth = width;
      if (dash) c.setLineDash(dash);
      c.stroke();
      if (dash) c.setLineDash([]);
    }
  }

  /** A box that fades out to the right. */
  fade(x, y, w, h, { fill, alpha }) {
    const c = this.c;
    const gradient = c.createLinearGradient(x, 0, x + w, 0);
    gradient.addColorStop(0, ink(fill));
    gradient.addColorStop(1, ink(fill) + "00");
    c.globalAlpha = alpha;
    c.fillStyle = gradient;
    c.fillRect(x, y, w, h);
    c.globalAlpha = 1;
  }

  lines(points, { stroke, width = 1, dash, alpha = 1 }) {
    const c = this.c;
    c.beginPath();
    points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.strokeStyle = ink(stroke);
    c.lineWidth = width;
    c.globalAlpha = alpha;
    if (dash) c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
  }

  dot(x, y, r, { fill, stroke, width = 1.5 }) {
    const c = this.c;
    c.beginPath();
    c.arc(x, y, r, 0, 2 * Math.PI);
    c.fillStyle = ink(fill);
    c.fill();
    if (stroke) { c.strokeStyle = ink(stroke); c.lineWidth = width; c.stroke(); }
  }

  text(x, y, text, { fill = "ink", size = 12, align = "left", bold = false, mono = false, alpha = 1 }) {
    const c = this.c;
    c.font = `${bold ? "600 " : ""}${size}px ${mono ? FONT_MONO : FONT_SANS}`;
    c.textAlign = align;
    c.textBaseline = "middle";
    c.fillStyle = ink(fill);
    c.globalAlpha = alpha;
    c.fillText(text, x, y);
    c.globalAlpha = 1;
  }

  within(x, y, w, h, draw) {
    this.c.save();
    this.c.beginPath();
    this.c.rect(x, y, w, h);
    this.c.clip();
    draw();
    this.c.restore();
  }
}

class SvgPainter {
  constructor(width, height) {
    this.size = [width, height];
    this.out = [];
    this.defs = [];
  }

  rect(x, y, w, h, { fill, stroke, alpha = 1, dash, radius = 0, width = 1 }) {
    let style = fill ? `fill="${ink(fill)}" fill-opacity="${alpha}"` : 'fill="none"';
    if (stroke) style += ` stroke="${ink(stroke)}" stroke-width="${width}"`;
    if (dash) style += ` stroke-dasharray="${dash.join(" ")}"`;
    this.out.push(`<rect x="${r2(x)}" y="${r2(y)}" width="${r2(Math.max(0, w))}" height="${r2(h)}" rx="${radius}" ${style}/>`);
  }

  fade(x, y, w, h, { fill, alpha }) {
    const id = "fade-" + fill;
    if (!this.defs.some((def) => def.startsWith(`<linearGradient id="${id}"`))) {
      this.defs.push(`<linearGradient id="${id}"><stop stop-color="${ink(fill)}"/>` +
        `<stop offset="1" stop-color="${ink(fill)}" stop-opacity="0"/></linearGradient>`);
    }
    this.out.push(`<rect x="${r2(x)}" y="${r2(y)}" width="${r2(Math.max(0, w))}" height="${r2(h)}" fill="url(#${id})" opacity="${alpha}"/>`);
  }

  lines(points, { stroke, width = 1, dash, alpha = 1 }) {
    const at = points.map(([x, y]) => `${r2(x)},${r2(y)}`).join(" ");
    this.out.push(`<polyline points="${at}" fill="none" stroke="${ink(stroke)}" stroke-width="${width}" ` +
      `opacity="${alpha}"${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
  }

  dot(x, y, r, { fill, stroke, width = 1.5 }) {
    this.out.push(`<circle cx="${r2(x)}" cy="${r2(y)}" r="${r}" fill="${ink(fill)}"` +
      `${stroke ? ` stroke="${ink(stroke)}" stroke-width="${width}"` : ""}/>`);
  }

  text(x, y, text, { fill = "ink", size = 12, align = "left", bold = false, mono = false, alpha = 1 }) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    const font = (mono ? FONT_MONO : FONT_SANS).replaceAll('"', "'");
    this.out.push(`<text x="${r2(x)}" y="${r2(y)}" font-family="${font}" font-size="${size}" opacity="${alpha}" ` +
      `${bold ? 'font-weight="600" ' : ""}text-anchor="${anchor}" dominant-baseline="central" fill="${ink(fill)}">${xml(text)}</text>`);
  }

  within(x, y, w, h, draw) {
    const id = "clip-" + this.defs.length;
    this.defs.push(`<clipPath id="${id}"><rect x="${r2(x)}" y="${r2(y)}" width="${r2(w)}" height="${r2(h)}"/></clipPath>`);
    this.out.push(`<g clip-path="url(#${id})">`);
    draw();
    this.out.push("</g>");
  }

  finish() {
    const [width, height] = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n` +
      `<defs>${this.defs.join("")}</defs>\n<rect width="100%" height="100%" fill="${palette.ground}"/>\n${this.out.join("\n")}\n</svg>\n`;
  }
}

function r2(x) { return Math.round(x * 100) / 100; }
/** Escapes text for SVG, and replaces the control characters that XML forbids. */
function xml(text) {
  return text.replace(/[\u0000-\u001f\u007f\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
