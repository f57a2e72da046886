// The cards beside the stage: plots of the scene, modes, a plot of one's own, energies, the solver.
import { element, number } from "./format.js";
import { Lanes } from "./lanes.js";
import { PhasePlot, TimePlot } from "./plot.js";

export class Cards {
  constructor(page, holder) {
    this.page = page;
    this.holder = holder;
    this.moving = [];
    this.drawing = [];
    this.addPlots();
    this.addModes();
    this.addOwn();
    this.addEnergy();
    this.addSolver();
  }

  card(title, note, id) {
    const small = note ? [element("small", {}, note)] : [];
    const plot = element("div", { class: "plot" });
    const card = element("article", { class: "card", id }, element("h2", {}, title, ...small), plot);
    this.holder.append(card);
    return { card, plot };
  }

  keep(plot) {
    this.moving.push(plot);
    this.drawing.push(plot);
    return plot;
  }

  index(name) {
    const index = this.page.record.byName.get(name);
    return index !== undefined && this.page.record.has(index) ? index : undefined;
  }

  addPlots() {
    const { record } = this.page;
    const time = this.index("t");
    for (const plot of record.plots) {
      const { plot: holder } = this.card(plot.title || plot.name);
      const over = plot.x === time;
      const Kind = over ? TimePlot : PhasePlot;
      this.keep(new Kind(this.page, holder, { ...plot, yLabel: plot.yLabel || undefined }));
      if (plot.modes) this.addModes();
    }
    if (!record.plots.length) this.addPositions();
  }

  // A record whose scene declares no plots.
  addPositions() {
    const { signals } = this.page.record;
    const positions = signals.map((_, i) => i).filter((i) => i > 1 && this.page.record.has(i)).slice(0, 4);
    if (!positions.length) return;
    this.keep(new TimePlot(this.page, this.card("Motion").plot, { y: positions }));
  }

  // Once: under the first plot that asks for them, or under all.
  addModes() {
    if (this.lanes || !this.page.record.laws.length) return;
    const { plot } = this.card("Modes", "drag in a plot to zoom, double-click to go back", "modes");
    this.lanes = this.keep(new Lanes(this.page, plot));
  }

  // Any signals over time or over another one.
  addOwn() {
    const { record } = this.page;
    const { card, plot } = this.card("Any signal", "", "own");
    const names = element("datalist", { id: "signals" });
    record.signals.forEach((signal, i) => record.has(i) && names.append(element("option", { value: signal.name })));
    const chips = element("div", { class: "chips" });
    const add = element("input", { list: "signals", type: "search", placeholder: "add a signal", "aria-label": "Add a signal" });
    const over = element("input", { list: "signals", type: "search", placeholder: "over t", "aria-label": "Over" });
    card.insertBefore(element("div", { class: "picker" }, add, over, chips, names), plot);
    this.own = { y: [], x: this.index("t"), chips, plot, add, over };
    add.addEventListener("change", () => this.pick(add));
    over.addEventListener("change", () => this.pickAxis(over));
  }

  pick(input) {
    const index = this.index(input.value);
    if (index === undefined || this.own.y.includes(index)) return;
    input.value = "";
    this.own.y.push(index);
    this.drawOwn();
  }

  pickAxis(input) {
    const index = this.index(input.value === "" ? "t" : input.value);
    if (index === undefined) return;
    this.own.x = index;
    this.drawOwn();
  }

  drawOwn() {
    const { y, x, chips, plot } = this.own;
    const drop = (index) => {
      this.own.y = y.filter((other) => other !== index);
      this.drawOwn();
    };
    const chip = (index) => element("button", { class: "chip", title: "take away", onclick: () => drop(index) }, `${this.page.record.signals[index].name} ×`);
    chips.replaceChildren(...y.map(chip));
    plot.replaceChildren();
    for (const list of [this.moving, this.drawing]) {
      const at = list.indexOf(this.ownPlot);
      if (at >= 0) list.splice(at, 1);
    }
    this.ownPlot = null;
    if (!y.length) return;
    const Kind = x === this.index("t") ? TimePlot : PhasePlot;
    this.ownPlot = this.keep(new Kind(this.page, plot, { x, y: [...y] }));
  }

  addEnergy() {
    const { record } = this.page;
    const parts = ["kinetic", "potential", "dissipated", "load"].map((name) => this.index(`energy.${name}`));
    if (parts.some((index) => index === undefined)) return;
    const balance = record.samples(this.index("energy.balance"));
    const size = parts.reduce((most, index) => record.samples(index).reduce((m, v) => Math.max(m, Math.abs(v)), most), 0);
    const worst = balance.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    const share = size ? ` (${number((100 * worst) / size, 2)} %)` : "";
    const moving = parts.filter((index) => record.samples(index).some((v) => v !== 0));
    const { card, plot } = this.card("Energy balance", `holds to ${number(worst, 2)} J${share}`, "energy");
    const second = element("div", { class: "plot" });
    card.append(second);
    this.keep(new TimePlot(this.page, plot, { y: moving, yLabel: "J" }));
    this.keep(new TimePlot(this.page, second, { y: [this.index("energy.balance")], yLabel: "error in J", height: 120 }));
  }

  failures() {
    const { record } = this.page;
    const index = this.index("solver.outcome");
    if (index === undefined) return [];
    const outcome = record.samples(index);
    return Array.from(record.t).filter((_, i) => outcome[i] > 0);
  }

  addSolver() {
    const { statistics } = this.page.record;
    const residual = this.index("solver.residual");
    const iterations = this.index("solver.iterations");
    if (residual === undefined || iterations === undefined) return;
    const bad = statistics.failures > 0;
    const note = bad ? `${statistics.failures} of ${statistics.steps} steps did not converge` : `all ${statistics.steps} steps converged`;
    const { card, plot } = this.card("Solver", element("span", { class: bad ? "bad" : "good" }, note), "solver");
    const second = element("div", { class: "plot" });
    card.append(second);
    card.classList.toggle("failed", bad);
    const failures = this.failures();
    this.keep(new TimePlot(this.page, plot, { y: [iterations], yLabel: "iterations", height: 130, failures }));
    if (!this.page.record.samples(residual).some((v) => v > 0)) return;
    this.keep(new TimePlot(this.page, second, { y: [residual], yLabel: "residual", log: true, height: 130, failures }));
  }

  move() {
    for (const plot of this.moving) plot.move();
  }

  redraw() {
    for (const plot of this.drawing) plot.build();
  }
}
