// The record that `stickslip view` has put into the page.
import { Contacts } from "./contacts.js";
import { lastAtOrBelow } from "./search.js";

// Bytes of a base64 text.
function decode(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

export class Record {
  constructor(data, buffer, contacts) {
    Object.assign(this, data);
    this.shapes ??= [];
    this.plots ??= [];
    this.expectations ??= [];
    this.bodies ??= [];
    this.t = new Float64Array(buffer, 0, this.rows);
    this.curves = this.coarse ? this.refine(new Uint16Array(buffer, 8 * this.rows)) : new Float32Array(buffer, 8 * this.rows);
    this.contacts = contacts && this.contacts?.rows.length ? new Contacts(this.contacts, contacts, this.t) : null;
    this.start = this.rows ? this.t[0] : 0;
    this.end = this.rows ? this.t[this.rows - 1] : 0;
    this.byName = new Map(this.signals.map((signal, i) => [signal.name, i]));
    this.lawByName = new Map(this.laws.map((law, i) => [law.name, i]));
    this.seek(this.start);
  }

  static from(document) {
    const data = document.getElementById("record");
    if (!data) return null;
    const samples = document.getElementById("samples");
    const contacts = document.getElementById("contacts");
    const record = new Record(JSON.parse(data.textContent), decode(samples.textContent), contacts && decode(contacts.textContent));
    samples.remove();
    contacts?.remove();
    return record;
  }

  // Curves of 16-bit numbers between the least and the largest value.
  refine(coarse) {
    const curves = new Float32Array(coarse.length);
    for (const { curve, low, high } of this.signals) {
      if (curve === undefined) continue;
      for (let i = curve * this.rows; i < (curve + 1) * this.rows; i++) curves[i] = low + ((high - low) * coarse[i]) / 65535;
    }
    return curves;
  }

  // The moment that number() refers to.
  seek(time) {
    const row = lastAtOrBelow(this.rows, (i) => this.t[i], time);
    this.row = Math.max(0, Math.min(row, this.rows - 2));
    const before = this.t[this.row];
    const after = this.t[Math.min(this.row + 1, this.rows - 1)];
    this.part = after > before ? Math.min(Math.max((time - before) / (after - before), 0), 1) : 0;
    this.time = time;
  }

  // The state that is nearest to the moment.
  nearest() {
    return Math.min(this.row + (this.part > 0.5 ? 1 : 0), this.rows - 1);
  }

  // A number of a shape: it stands there, or it is a signal at the current moment.
  number(value) {
    return typeof value === "number" ? value : this.at(value.s);
  }

  at(index) {
    const signal = this.signals[index];
    if (signal.curve === undefined) return signal.value ?? NaN;
    const i = signal.curve * this.rows + this.row;
    if (this.part === 0) return this.curves[i];
    return this.curves[i] + this.part * (this.curves[i + 1] - this.curves[i]);
  }

  has(index) {
    const signal = this.signals[index];
    return signal.curve !== undefined || signal.value !== undefined;
  }

  // All samples of a signal.
  samples(index) {
    const signal = this.signals[index];
    if (signal.name === "t") return this.t;
    if (signal.curve === undefined) return new Float32Array(this.rows).fill(signal.value ?? NaN);
    return this.curves.subarray(signal.curve * this.rows, (signal.curve + 1) * this.rows);
  }

  // 0 constraint, 1 or -1 impressed.
  mode(law, time) {
    const lane = this.laws[law].lane;
    const i = lastAtOrBelow(lane.length, (k) => lane[k][0], time) + 1;
    return lane.length ? lane[Math.min(i, lane.length - 1)][1] : 1;
  }

  // Index of the last event at or before a time, -1 when there is none.
  eventAt(time) {
    return lastAtOrBelow(this.events.length, (i) => this.events[i][0], time);
  }
}
