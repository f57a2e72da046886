// A record straight from its file: what `stickslip view` puts into a page, made from HDF5 in the browser. Drawing, plots and
// checks of the scene need the scene to be understood, and stay with `stickslip view`.
import { File, FS, ready } from "h5wasm";
import { newTouch } from "./contacts.js";
import { Record } from "./record.js";
import { lastAtOrBelow } from "./search.js";

const MOST_ROWS = 20000;

const text = (value) => (typeof value === "string" ? value.replace(/\0+$/, "") : String(value));
const number = (value) => Number(Array.isArray(value) ? value[0] : (value?.[0] ?? value));

class Source {
  constructor(name, bytes) {
    FS.writeFile("record.h5", bytes);
    this.file = new File("record.h5", "r");
    if (text(this.file.attrs.format?.value ?? "") !== "stickslip record") throw new Error(`${name} is no record of stickslip`);
    if (number(this.file.attrs.format_version.value) !== 1) throw new Error(`${name} has another format version than this page reads`);
  }

  has(path) {
    return this.file.get(path) !== null;
  }

  values(path) {
    return this.file.get(path)?.value ?? [];
  }

  width(path) {
    return this.file.get(path)?.shape[1] ?? 1;
  }

  unit(path) {
    return text(this.file.get(path).attrs.unit.value);
  }

  texts(path) {
    return Array.from(this.values(path), text);
  }

  text(path) {
    return text(this.file.get(path)?.value ?? "");
  }

  attribute(path, name) {
    return this.file.get(path).attrs[name]?.value;
  }
}

// Evenly, and besides the states behind the switches.
function chooseRows(times, events) {
  const n = times.length;
  if (n <= MOST_ROWS) return Array.from({ length: n }, (_, i) => i);
  const kept = new Set(Array.from({ length: MOST_ROWS }, (_, i) => Math.round((i * (n - 1)) / (MOST_ROWS - 1))));
  for (const [t] of events.slice(0, MOST_ROWS)) kept.add(Math.min(lastAtOrBelow(n, (i) => times[i], t), n - 1));
  return [...kept].filter((i) => i >= 0).sort((a, b) => a - b);
}

// Columns in the order and with the names of `stickslip export`: [name, unit, dataset, index].
function listColumns(source, laws) {
  const columns = [["t", "s", "time", 0], ["dt", "s", "dt", 0]];
  source.texts("names/q").forEach((name, i) => columns.push([name, source.unit("q"), "q", i]));
  source.texts("names/u").forEach((name, i) => columns.push([name, source.unit("u"), "u", i]));
  laws.forEach((law, i) => {
    const parts = [["gamma", "gamma"], ["P", "percussion"], ["force", "force"]];
    if (law.geometric) parts.unshift(["gap", "gap"]);
    for (const [part, path] of parts)
      for (let k = 0; k < law.rows; k++) columns.push([`${law.name}.${part}${law.rows > 1 ? `.${k + 1}` : ""}`, source.unit(path), path, law.first + k]);
    columns.push([`${law.name}.mode`, "", "mode", i]);
  });
  for (const name of ["kinetic", "potential", "dissipated", "load", "balance"]) columns.push([`energy.${name}`, "J", `energy/${name}`, 0]);
  for (const name of ["iterations", "residual", "outcome"]) columns.push([`solver.${name}`, "", `solver/${name}`, 0]);
  columns.push(["order", "", "order", 0]);
  return columns;
}

function readLaws(source) {
  const [types, constraint, impressed] = ["type", "constraint_word", "impressed_word"].map((name) => source.texts(`laws/${name}`));
  const [first, rows, geometric, friction] = ["first_row", "rows", "geometric", "friction"].map((name) => source.values(`laws/${name}`));
  return source.texts("names/laws").map((name, i) => ({
    name,
    type: types[i],
    constraint: constraint[i],
    impressed: impressed[i],
    first: first[i],
    rows: rows[i],
    geometric: geometric[i] !== 0,
    friction: friction[i],
  }));
}

function readEvents(source) {
  const [time, law, to, P] = ["time", "law", "to", "percussion"].map((name) => source.values(`events/${name}`));
  return Array.from(time, (t, i) => [t, law[i], to[i] === 0 ? 1 : 0, P[i]]);
}

// [end, mode] of each stretch: it ends where the step began that switched.
function addLanes(laws, events, times, steps, modes) {
  const dtAt = (t) => steps[Math.min(lastAtOrBelow(times.length, (i) => times[i], t - 1e-12) + 1, times.length - 1)];
  laws.forEach((law, i) => {
    let mode = modes[i] ?? 1;
    law.lane = [];
    for (const [t, which, constraint] of events) {
      if (which !== i) continue;
      law.lane.push([t - dtAt(t), mode]);
      mode = constraint ? 0 : 1;
    }
    law.lane.push([times.at(-1), mode]);
  });
}

function readSignals(source, laws, rows) {
  const cache = new Map();
  const load = (path) => cache.get(path) ?? cache.set(path, [source.values(path), source.width(path)]).get(path);
  const signals = [];
  const curves = [];
  for (const [name, unit, path, index] of listColumns(source, laws)) {
    const [values, width] = load(path);
    const curve = Float32Array.from(rows, (row) => values[row * width + index]);
    const varies = curve.some((value) => !Object.is(value, curve[0]));
    signals.push(varies ? { name, unit, curve: curves.length } : { name, unit, value: Number(curve[0] ?? 0) });
    if (varies) curves.push(curve);
  }
  return { signals, curves };
}

function readBodies(source, byName) {
  if (!source.has("shapes")) return { bodies: [], meshes: [] };
  const [type, material, system] = ["type", "material", "system"].map((name) => source.texts(`shapes/${name}`));
  const [position, rotation, radius, mesh] = ["position", "rotation", "radius", "mesh"].map((name) => source.values(`shapes/${name}`));
  const carrierOf = (name) => Object.fromEntries(["x", "y", "z", "phi", "e0", "e1", "e2", "e3"].flatMap((c) => (byName.has(`${name}.${c}`) ? [[c, { s: byName.get(`${name}.${c}`) }]] : [])));
  const bodies = source.texts("names/shapes").map((name, i) => ({
    name,
    type: type[i],
    material: material[i],
    carrier: system[i] ? carrierOf(system[i]) : undefined,
    position: Array.from(position.subarray(3 * i, 3 * i + 3)),
    rotation: Array.from(rotation.subarray(4 * i, 4 * i + 4)),
    radius: radius[i] || undefined,
    mesh: mesh[i],
  }));
  const [firstPoint, firstTriangle, points, triangles] = ["first_point", "first_triangle", "points", "triangles"].map((name) => source.values(`meshes/${name}`));
  const meshes = Array.from({ length: firstPoint.length - 1 }, (_, i) => ({
    points: Array.from(points.subarray(3 * firstPoint[i], 3 * firstPoint[i + 1])),
    triangles: Array.from(triangles.subarray(3 * firstTriangle[i], 3 * firstTriangle[i + 1])),
  }));
  return { bodies, meshes };
}

// Touches with all their digits; the same questions as to those of a page.
class FileContacts {
  constructor(source, laws, times, steps) {
    const first = source.values("contacts/first");
    const count = source.values("contacts/count");
    const states = Array.from(count, (_, i) => i).filter((i) => count[i] >= 0);
    this.times = states.map((i) => times[i]);
    this.steps = states.map((i) => steps[i]);
    this.first = states.map((i) => Number(first[i]));
    this.counts = states.map((i) => count[i]);
    this.most = this.counts.reduce((most, n) => Math.max(most, n), 0);
    for (const name of ["point", "normal", "percussion", "mode", "element"]) this[name] = source.values(`contacts/${name}`);
    const lawOf = (element) => laws.find(({ name }) => name === `${element}.slip` || name === `${element}.slip_spin`);
    this.shapes = source.values("contacts/shapes");
    this.fixed = source.texts("shapes/system").map((system) => !system);
    this.friction = source.texts("names/elements").map((element) => lawOf(element)?.friction ?? 0);
  }

  frameAt(time) {
    const before = Math.max(lastAtOrBelow(this.times.length, (k) => this.times[k], time), 0);
    const after = Math.min(before + 1, this.times.length - 1);
    return Math.abs(this.times[after] - time) < Math.abs(time - this.times[before]) ? after : before;
  }

  count(frame) {
    return this.counts[frame] ?? 0;
  }

  get(frame, i, touch = newTouch()) {
    const at = this.first[frame] + i;
    const dt = this.steps[frame];
    touch.point.fromArray(this.point, 3 * at);
    const side = this.fixed[this.shapes[2 * at + 1]] ? -1 : 1;
    touch.normal.fromArray(this.normal, 3 * at).multiplyScalar(side);
    touch.force.fromArray(this.percussion, 3 * at).multiplyScalar(dt > 0 ? side / dt : 0);
    const [closed, slips] = this.mode.subarray(4 * at, 4 * at + 2);
    touch.mode = closed ? 1 + slips : 0;
    touch.friction = this.friction[this.element[at]] ?? 0;
    return touch;
  }
}

function readStatistics(source) {
  const get = (name) => number(source.attribute("statistics", name) ?? 0);
  return { steps: get("steps"), iterations: get("iterations"), maxIterations: get("max_iterations"), failures: get("failures"), switches: get("switches"), worstResidual: get("worst_residual") };
}

function pack(times, curves) {
  const buffer = new ArrayBuffer(8 * times.length + 4 * times.length * curves.length);
  new Float64Array(buffer, 0, times.length).set(times);
  curves.forEach((curve, i) => new Float32Array(buffer, 8 * times.length + 4 * times.length * i, times.length).set(curve));
  return buffer;
}

export async function readRecord(name, bytes) {
  await ready;
  const source = new Source(name, bytes);
  const laws = readLaws(source);
  const events = readEvents(source);
  const times = Array.from(source.values("time"));
  const steps = source.values("dt");
  const rows = chooseRows(times, events);
  const { signals, curves } = readSignals(source, laws, rows);
  addLanes(laws, events, times, steps, source.values("mode"));
  const values = source.values("scene/parameters/value");
  const data = {
    file: name,
    name: source.text("scene/name"),
    description: "",
    version: text(source.file.attrs.stickslip_version.value),
    scene: source.text("scene/text"),
    note: text(source.file.attrs.note?.value ?? ""),
    finished: number(source.attribute("checkpoint", "finished") ?? 0) !== 0,
    states: times.length,
    rows: rows.length,
    parameters: source.texts("scene/parameters/name").map((parameter, i) => [parameter, values[i]]),
    statistics: readStatistics(source),
    laws,
    events,
    signals,
    ...readBodies(source, new Map(signals.map((signal, i) => [signal.name, i]))),
  };
  const record = new Record(data, pack(rows.map((row) => times[row]), curves));
  if (source.has("contacts")) record.contacts = new FileContacts(source, laws, times, steps);
  source.file.close();
  return record;
}
