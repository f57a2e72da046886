// The columns of a record's file, with the names and in the order of `stickslip export`, and formulas of them.
import { compile } from "./formula.js";

// [name, unit, dataset, index in its rows]
function list(source, laws) {
  const columns = [["t", "s", "time", 0], ["dt", "s", "dt", 0]];
  source.texts("names/q").forEach((name, i) => columns.push([name, source.unit("q"), "q", i]));
  source.texts("names/u").forEach((name, i) => columns.push([name, source.unit("u"), "u", i]));
  if (source.has("names/frames")) source.texts("names/frames").forEach((name, i) => columns.push([name, source.unit("frames"), "frames", i]));
  laws.forEach((law, i) => {
    const parts = [["gamma", "gamma"], ["P", "impulse"], ["force", "force"]];
    if (law.geometric) parts.unshift(["gap", "gap"]);
    for (const [part, path] of parts)
      for (let k = 0; k < law.rows; k++) columns.push([`${law.name}.${part}${law.rows > 1 ? `.${k + 1}` : ""}`, source.unit(path), path, law.first + k]);
    columns.push([`${law.name}.mode`, "", "mode", i]);
  });
  for (const name of ["kinetic", "potential", "dissipated", "load", "balance"]) columns.push([`energy.${name}`, "J", `energy/${name}`, 0]);
  for (const name of ["iterations", "residual", "outcome"]) columns.push([`solver.${name}`, "", `solver/${name}`, 0]);
  columns.push(["order", "", "order", 0]);
  return columns.map(([name, unit, path, index]) => ({ name, unit, path, index }));
}

// Full names, and those of coordinates without their system where only one has it.
function byName(columns) {
  const names = new Map(columns.map(({ name }, i) => [name, i]));
  const full = new Set(names.keys());
  columns.forEach(({ name, path }, i) => {
    const dot = name.indexOf(".");
    const short = name.slice(dot + 1);
    if ((path !== "q" && path !== "u") || dot < 0 || full.has(short)) return;
    names.set(short, names.has(short) ? undefined : i);
  });
  return names;
}

export class Columns {
  constructor(source, laws, parameters) {
    this.source = source;
    this.list = list(source, laws);
    this.names = byName(this.list);
    this.parameters = new Map(parameters);
    this.loaded = new Map();
  }

  // Index of a column by its name, or undefined.
  find(name) {
    return this.names.get(name);
  }

  load(path) {
    if (!this.loaded.has(path)) this.loaded.set(path, { values: this.source.values(path), width: this.source.width(path) });
    return this.loaded.get(path);
  }

  // A function of the index of a state.
  at(index) {
    const { path, index: place } = this.list[index];
    const { values, width } = this.load(path);
    return (state) => Number(values[state * width + place]);
  }

  // A formula's values in the given states.
  evaluate(text, states) {
    const resolve = (name) => (this.find(name) === undefined ? this.parameters.get(name) : this.at(this.find(name)));
    const formula = compile(text, resolve);
    return typeof formula === "number" ? new Float64Array(states.length).fill(formula) : Float64Array.from(states, formula);
  }
}
