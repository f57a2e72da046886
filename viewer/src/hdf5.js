// A record straight from its file: what `stickslip view` puts into a page, made from HDF5 in the browser.
import { File, FS, ready } from "h5wasm";
import { Columns } from "./columns.js";
import { newContact } from "./contacts.js";
import { readDisplay, Signals } from "./display.js";
import { mergeLane } from "./mergelane.js";
import { Record } from "./record.js";
import { lastAtOrBelow, lastWhere } from "./search.js";

const FORMAT = 2;
const MOST_ROWS = 20000;
const FEWEST_ROWS = 200;
const MOST_SAMPLES = 2e7;

const text = (value) => (typeof value === "string" ? value.replace(/\0+$/, "") : String(value));
const number = (value) => Number(Array.isArray(value) ? value[0] : (value?.[0] ?? value));

class Source {
  constructor(name, bytes) {
    FS.writeFile("record.h5", bytes);
    this.file = new File("record.h5", "r");
    if (text(this.file.attrs.format?.value ?? "") !== "stickslip record") throw new Error(`${name} is no record of stickslip`);
    const format = number(this.file.attrs.format_version.value);
    const version = text(this.file.attrs.stickslip_version?.value ?? "?");
    if (format !== FORMAT) throw new Error(`${name} was written by stickslip ${version} (format ${format}); this page reads format ${FORMAT}`);
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

// Evenly, and besides them those that failed and those beside the switches, as many again at most.
function chooseStates(times, events, outcome, columns) {
  const n = times.length;
  const most = Math.max(Math.min(MOST_ROWS, Math.floor(MOST_SAMPLES / columns)), FEWEST_ROWS);
  if (n <= most) return Array.from({ length: n }, (_, i) => i);
  const kept = new Set();
  const keep = (i) => kept.size < 2 * most && kept.add(i);
  for (let i = 0; i < most; i++) keep(Math.round((i * (n - 1)) / (most - 1)));
  outcome.forEach((value, i) => value > 0 && keep(i));
  for (const [t] of events) {
    const after = Math.min(lastWhere(n, (i) => times[i] < t) + 1, n - 1);
    keep(after);
    keep(Math.max(after - 1, 0));
  }
  return [...kept].sort((a, b) => a - b);
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
  const [time, law, to, P] = ["time", "law", "to", "impulse"].map((name) => source.values(`events/${name}`));
  return Array.from(time, (t, i) => [t, law[i], to[i] === 0 ? 1 : 0, P[i]]);
}

function readBodies(source, signals) {
  if (!source.has("shapes")) return { bodies: [], meshes: [] };
  const [type, material, system] = ["type", "material", "system"].map((name) => source.texts(`shapes/${name}`));
  const [position, rotation, radius, mesh] = ["position", "rotation", "radius", "mesh"].map((name) => source.values(`shapes/${name}`));
  const bodies = source.texts("names/shapes").map((name, i) => ({
    name,
    type: type[i],
    material: material[i],
    carrier: system[i] ? signals.carrier(system[i]) : undefined,
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

// Contacts with all their digits; the same questions as to those of a page.
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
    for (const name of ["point", "normal", "impulse", "mode", "element"]) this[name] = source.values(`contacts/${name}`);
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

  get(frame, i, contact = newContact()) {
    const at = this.first[frame] + i;
    const dt = this.steps[frame];
    contact.point.fromArray(this.point, 3 * at);
    const side = this.fixed[this.shapes[2 * at + 1]] ? -1 : 1;
    contact.normal.fromArray(this.normal, 3 * at).multiplyScalar(side);
    contact.force.fromArray(this.impulse, 3 * at).multiplyScalar(dt > 0 ? side / dt : 0);
    const [closed, slips] = this.mode.subarray(4 * at, 4 * at + 2);
    contact.mode = closed ? 1 + slips : 0;
    contact.friction = this.friction[this.element[at]] ?? 0;
    return contact;
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

// Each law with the stretches of its modes.
function withLanes(laws, events, columns, states) {
  const [t, dt] = ["t", "dt"].map((name) => states.map(columns.at(columns.find(name))));
  return laws.map((law, i) => {
    const mode = states.map(columns.at(columns.find(`${law.name}.mode`)));
    return { ...law, lane: mergeLane(events.filter(([, index]) => index === i), t, dt, mode) };
  });
}

function readHead(source, name) {
  const values = source.values("scene/parameters/value");
  return {
    file: name,
    name: source.text("scene/name"),
    description: "",
    version: text(source.file.attrs.stickslip_version.value),
    scene: source.text("scene/text"),
    note: text(source.file.attrs.note?.value ?? ""),
    finished: number(source.attribute("checkpoint", "finished") ?? 0) !== 0,
    trusted: number(source.file.attrs.doubts?.value ?? 1) === 0,
    verdict: text(source.file.attrs.verdict?.value ?? ""),
    parameters: source.texts("scene/parameters/name").map((parameter, i) => [parameter, values[i]]),
    statistics: readStatistics(source),
  };
}

// Of a record that was made before records told what to show, nothing.
function readShown(source, signals, events, count) {
  const display = source.text("scene/display");
  const all = Array.from({ length: count }, (_, i) => i);
  return display ? readDisplay(JSON.parse(display), signals, events, all) : {};
}

export async function readRecord(name, bytes) {
  await ready;
  const source = new Source(name, bytes);
  const head = readHead(source, name);
  const laws = readLaws(source);
  const events = readEvents(source);
  const times = Array.from(source.values("time"));
  const columns = new Columns(source, laws, head.parameters);
  const states = chooseStates(times, events, source.values("solver/outcome"), columns.list.length);
  const signals = new Signals(columns, states);
  const data = {
    ...head,
    states: times.length,
    rows: states.length,
    laws: withLanes(laws, events, columns, states),
    events,
    signals: signals.list,
    ...readShown(source, signals, events, times.length),
    ...readBodies(source, signals),
  };
  const record = new Record(data, pack(states.map((state) => times[state]), signals.curves));
  if (source.has("contacts")) record.contacts = new FileContacts(source, laws, times, source.values("dt"));
  source.file.close();
  return record;
}
