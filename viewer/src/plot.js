// Curves over time and curves in the plane, drawn by uPlot, with the current moment on them.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import * as format from "./format.js";
import { color, series as palette } from "./theme.js";

export const GUTTER = 58; // px left of every plot, so that they line up
const NARROW = 44;

export function gutter() {
  return innerWidth <= 760 ? NARROW : GUTTER;
}

// Where there is little room a vertical axis goes without its label.
function axis(wanted, side) {
  const vertical = side === 3;
  const label = vertical && innerWidth <= 760 ? "" : wanted;
  return {
    side,
    label: label || undefined,
    labelSize: label ? 16 : 0,
    labelFont: "12px system-ui, sans-serif",
    font: "11px system-ui, sans-serif",
    size: vertical ? gutter() - (label ? 16 : 0) : 26,
    gap: 3,
    stroke: color("quiet"),
    grid: { stroke: color("grid"), width: 1 },
    ticks: { stroke: color("line"), width: 1, size: 4 },
    values: (u, splits) => splits.map((v) => (v === null ? "" : format.number(v, 6))),
  };
}

// Labels of a logarithmic axis: every power of ten, fewer when there are many.
function decades(u, splits) {
  const tens = splits.filter((v) => v && Number.isInteger(Math.log10(v)));
  const every = Math.ceil(tens.length / 5);
  return splits.map((v) => (tens.includes(v) && Math.round(Math.log10(v)) % every === 0 ? `1e${Math.round(Math.log10(v))}` : ""));
}

// Calls back with the place of a click that was no drag.
function onClick(u, callback) {
  let down = null;
  u.over.addEventListener("pointerdown", (event) => (down = event.clientX));
  u.over.addEventListener("click", (event) => {
    const box = u.over.getBoundingClientRect();
    if (down !== null && Math.abs(event.clientX - down) < 4) callback(event.clientX - box.left);
  });
}

class Plot {
  // page: { record, player, window }
  constructor(page, holder, height) {
    this.page = page;
    this.holder = holder;
    this.height = height;
    this.mark = document.createElement("div");
    new ResizeObserver(() => this.fitWidth()).observe(holder);
  }

  label(index) {
    const { name, unit } = this.page.record.signals[index];
    return unit && !unit.includes(" or ") ? `${name} in ${unit}` : name;
  }

  fitWidth() {
    const width = this.holder.clientWidth;
    if (this.u && width && width !== this.u.width) {
      this.u.setSize({ width, height: this.height });
      this.move();
    }
  }

  build() {
    this.u?.destroy();
    const width = this.holder.clientWidth || 400;
    this.u = new uPlot({ width, height: this.height, padding: [8, 10, 0, 0], ...this.options() }, this.data(), this.holder);
    this.u.over.append(this.mark);
    this.built();
  }
}

export class TimePlot extends Plot {
  // spec: { y: [signals], yLabel, log, markers: [{x, y}] }
  constructor(page, holder, spec) {
    super(page, holder, spec.height ?? 190);
    this.spec = spec;
    this.mark.className = "playhead";
    page.window.listen(() => this.zoom());
    this.build();
  }

  data() {
    const { record } = this.page;
    const floor = (values) => (this.spec.log ? values.map((v) => (v > 0 ? v : NaN)) : values);
    return [record.t, ...this.spec.y.map((index) => floor(record.samples(index)))];
  }

  options() {
    const { record, window } = this.page;
    const lines = this.spec.y.map((index, i) => ({
      label: record.signals[index].name,
      stroke: color(palette[i % palette.length]),
      width: 1.5,
      pxAlign: 0,
      points: { show: false },
      value: (u, v) => format.number(v, 5),
    }));
    const y = axis(this.spec.yLabel ?? (this.spec.y.length === 1 ? this.label(this.spec.y[0]) : ""), 3);
    if (this.spec.log) y.values = decades;
    return {
      scales: { x: { time: false, range: () => [window.from, window.to] }, y: this.spec.log ? { distr: 3 } : {} },
      series: [{ label: "t", value: (u, v) => (v === null ? "–" : `${format.number(v, 6)} s`) }, ...lines],
      axes: [axis("", 2), y],
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
      hooks: { setSelect: [(u) => this.select(u)], draw: [(u) => this.drawFailures(u), () => this.move()] },
    };
  }

  built() {
    onClick(this.u, (x) => this.page.player.seek(this.u.posToVal(x, "x")));
    this.u.over.addEventListener("dblclick", () => this.page.window.showAll());
  }

  select(u) {
    const { left, width } = u.select;
    if (width > 3) this.page.window.show(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  // Red marks where the solver failed.
  drawFailures(u) {
    if (!this.spec.failures?.length) return;
    u.ctx.save();
    u.ctx.fillStyle = color("red");
    for (const t of this.spec.failures) {
      const x = u.valToPos(t, "x", true);
      u.ctx.fillRect(x - 1, u.bbox.top, 2, u.bbox.height);
    }
    u.ctx.restore();
  }

  zoom() {
    this.u.setScale("x", { min: this.page.window.from, max: this.page.window.to });
    this.move();
  }

  // The values in the legend are those of the current moment, unless the pointer asks for others.
  move() {
    if (!this.u) return;
    const { time } = this.page.player;
    const { from, to } = this.page.window;
    this.mark.hidden = time < from || time > to;
    this.mark.style.transform = `translateX(${this.u.valToPos(time, "x") - 0.75}px)`;
    if (this.u.cursor.left < 0) this.u.setLegend({ idx: this.page.record.nearest() });
  }
}

// One path for all its points, in their order.
function orbit(u, index, from, to) {
  const [xs, ys] = u.data[index];
  const path = new Path2D();
  let pen = false;
  for (let i = 0; i < xs.length; i++) {
    const draw = Number.isFinite(xs[i]) && Number.isFinite(ys[i]);
    if (draw) path[pen ? "lineTo" : "moveTo"](u.valToPos(xs[i], "x", true), u.valToPos(ys[i], "y", true));
    pen = draw;
  }
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  u.ctx.strokeStyle = u.series[index].stroke();
  u.ctx.lineWidth = 1.3 * devicePixelRatio;
  u.ctx.stroke(path);
  u.ctx.restore();
  return null;
}

function bounds(curves) {
  let low = Infinity;
  let high = -Infinity;
  for (const curve of curves)
    for (const value of curve) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  const margin = high > low ? 0.04 * (high - low) : Math.abs(low) || 1;
  return [low - margin, high + margin];
}

export class PhasePlot extends Plot {
  // spec: { x: signal, y: [signals], xLabel, yLabel }
  constructor(page, holder, spec) {
    super(page, holder, spec.height ?? 260);
    this.spec = spec;
    this.dots = spec.y.map(() => {
      const dot = document.createElement("div");
      dot.className = "here";
      this.mark.append(dot);
      return dot;
    });
    this.build();
  }

  data() {
    const { record } = this.page;
    const x = record.samples(this.spec.x);
    return [null, ...this.spec.y.map((index) => [x, record.samples(index)])];
  }

  options() {
    const { record } = this.page;
    const whole = {
      x: bounds([record.samples(this.spec.x)]),
      y: bounds(this.spec.y.map((index) => record.samples(index))),
    };
    const lines = this.spec.y.map((index, i) => ({
      label: record.signals[index].name,
      stroke: color(palette[i % palette.length]),
      paths: orbit,
      points: { show: false },
    }));
    this.whole = whole;
    return {
      mode: 2,
      legend: { show: this.spec.y.length > 1, live: false },
      scales: { x: { time: false, auto: false, range: (u, low, high) => [low, high] }, y: { auto: false, range: (u, low, high) => [low, high] } },
      series: [{}, ...lines],
      axes: [axis(this.spec.xLabel || this.label(this.spec.x), 2), axis(this.spec.yLabel || this.label(this.spec.y[0]), 3)],
      cursor: { drag: { x: true, y: true, uni: 20, setScale: true }, points: { show: false } },
      hooks: { draw: [() => this.move()] },
    };
  }

  built() {
    const reset = () => {
      for (const key of ["x", "y"]) this.u.setScale(key, { min: this.whole[key][0], max: this.whole[key][1] });
    };
    reset();
    this.u.over.addEventListener("dblclick", (event) => {
      event.stopImmediatePropagation();
      reset();
    });
  }

  move() {
    if (!this.u) return;
    const { record } = this.page;
    const inside = (v, scale) => v >= scale.min && v <= scale.max;
    this.dots.forEach((dot, i) => {
      const x = record.at(this.spec.x);
      const y = record.at(this.spec.y[i]);
      dot.hidden = !inside(x, this.u.scales.x) || !inside(y, this.u.scales.y);
      dot.style.transform = `translate(${this.u.valToPos(x, "x")}px, ${this.u.valToPos(y, "y")}px)`;
    });
  }
}
