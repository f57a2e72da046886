// Contacts of shapes in the states of a record.
import { Vector3 } from "three";
import { lastAtOrBelow } from "./search.js";

const BYTES = 16;

export const OPEN = 0;
export const STICKS = 1;
export const SLIPS = 2;

// The contacts of the recorded states that have them, as `stickslip view` packs them.
export class Contacts {
  constructor({ rows, frames, low, high, friction }, buffer, t) {
    this.times = rows.map((row) => t[row]);
    this.frames = frames;
    this.low = low;
    this.high = high;
    this.friction = friction;
    this.view = new DataView(buffer);
    this.first = [];
    frames.reduce((sum, [count]) => (this.first.push(sum), sum + count), 0);
    this.most = frames.reduce((most, [count]) => Math.max(most, count), 0);
  }

  // The state whose contacts hold at a time: the nearest one.
  frameAt(time) {
    const i = lastAtOrBelow(this.times.length, (k) => this.times[k], time);
    const before = Math.max(i, 0);
    const after = Math.min(before + 1, this.times.length - 1);
    return Math.abs(this.times[after] - time) < Math.abs(time - this.times[before]) ? after : before;
  }

  count(frame) {
    return this.frames[frame]?.[0] ?? 0;
  }

  // One contact, into { point, force, normal, mode, friction }.
  get(frame, i, contact) {
    const { view, low, high } = this;
    const at = (this.first[frame] + i) * BYTES;
    const unit = this.frames[frame][1];
    for (let k = 0; k < 3; k++) {
      contact.point.setComponent(k, low[k] + ((high[k] - low[k]) * view.getUint16(at + 2 * k, true)) / 65535);
      contact.force.setComponent(k, (unit * view.getInt16(at + 6 + 2 * k, true)) / 32767);
      contact.normal.setComponent(k, view.getInt8(at + 12 + k) / 127);
    }
    contact.normal.normalize();
    const bits = view.getUint8(at + 15);
    contact.mode = bits & 1 ? (bits & 2 ? SLIPS : STICKS) : OPEN;
    contact.friction = this.friction[bits >> 4] ?? 0;
    return contact;
  }
}

export const newContact = () => ({ point: new Vector3(), force: new Vector3(), normal: new Vector3(), mode: OPEN, friction: 0 });
