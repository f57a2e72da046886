// What a scene shows of its motion, from the record's file: drawing, plots and checks as `stickslip view` puts them into a page.
import { measure } from "./measure.js";

const CARRIED = ["x", "y", "z", "phi", "e0", "e1", "e2", "e3"];

// The signals of a page: the columns, and behind them the formulas that are asked for.
export class Signals {
  constructor(columns, states) {
    this.columns = columns;
    this.states = states;
    this.list = [];
    this.curves = [];
    this.formulas = new Map();
    columns.list.forEach(({ name, unit }, i) => this.add({ name, unit }, Float32Array.from(states, columns.at(i))));
  }

  // A signal that does not vary is one number.
  add(signal, curve) {
    const varies = curve.some((value) => !Object.is(value, curve[0]));
    this.list.push({ ...signal, ...(varies ? { curve: this.curves.length } : { value: Number(curve[0] ?? 0) }) });
    if (varies) this.curves.push(curve);
    return this.list.length - 1;
  }

  // Index of the signal of a formula.
  index(formula) {
    const column = this.columns.find(formula);
    if (column !== undefined) return column;
    if (!this.formulas.has(formula)) this.formulas.set(formula, this.add({ name: formula }, Float32Array.from(this.columns.evaluate(formula, this.states))));
    return this.formulas.get(formula);
  }

  // A number that may move.
  number(formula) {
    const index = this.index(formula);
    const { curve, value } = this.list[index];
    return curve === undefined ? value : { s: index };
  }

  // The frame of a system, from those of its coordinates that it has.
  carrier(system) {
    const known = CARRIED.filter((name) => this.columns.find(`${system}.${name}`) !== undefined);
    return Object.fromEntries(known.map((name) => [name, this.number(`${system}.${name}`)]));
  }
}

function property(signals, { key, expression, columns, items }) {
  if (key === "on") return ["carrier", signals.carrier(items[0])];
  const values = items.map((item) => (expression ? signals.number(item) : item));
  if (values.length === 1 && key !== "size") return [key, values[0]];
  if (columns === 1) return [key, values];
  return [key, Array.from({ length: values.length / columns }, (_, row) => values.slice(row * columns, (row + 1) * columns))];
}

function shape(signals, { name, kind, properties }) {
  return { name, kind, ...Object.fromEntries(properties.map((p) => property(signals, p))) };
}

// display: the record's /scene/display; events: [time, law, constraint]; all: the indices of all recorded states.
export function readDisplay(display, signals, events, all) {
  const { columns } = signals;
  const plots = display.plots.map((plot) => ({ ...plot, x: signals.index(plot.x), y: plot.y.map((formula) => signals.index(formula)) }));
  const expectations = display.expectations.map((expectation) => {
    const curve = (formula) => columns.evaluate(formula, all);
    const measured = measure(expectation, { events, curve });
    const { name, what, source, is, within = Infinity } = expectation;
    return { name, what, source, is, within, measured, met: Math.abs(measured - is) <= within };
  });
  return { description: display.description, shapes: display.drawing.map((drawn) => shape(signals, drawn)), plots, expectations };
}
