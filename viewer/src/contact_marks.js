// Contacts of shapes: points, forces on the second shape, and friction cones. Green sticks, orange slips, grey is open. A
// cone is as high as the normal force, so that the force of a sliding contact ends on its rim.
import * as THREE from "three";
import { newContact } from "./contacts.js";
import { ARROW, CONE, Marks } from "./marks.js";
import { shownColor } from "./theme.js";

// Contacts: the cones of many would hide each other, and their arrows are shorter; those of very many hide all.
const MANY = 24;
const VERY_MANY = 300;

const contact = newContact();
const axis = new THREE.Vector3();

export class ContactMarks {
  // lengths: those of the stage.
  constructor(record, lengths) {
    this.record = record;
    this.contacts = record.contacts;
    this.lengths = lengths;
    const most = Math.max(this.contacts.most, 1);
    this.shown = most > VERY_MANY ? "nothing" : most > MANY ? "forces" : "cones";
    this.share = most > MANY ? 0.4 : 1;
    this.cones = new Marks(CONE, most, { opacity: 0.22, order: 1000 });
    this.arrows = new Marks(ARROW, most, { order: 1001 });
    this.node = new THREE.Group();
    this.node.add(this.cones.node, this.arrows.node);
    this.tones = [];
  }

  layer() {}

  enclose() {}

  // Sizes of the forces at the current moment, for the scale of the stage.
  sizes() {
    const frame = this.contacts.frameAt(this.record.time);
    return Array.from({ length: this.contacts.count(frame) }, (_, i) => this.contacts.get(frame, i, contact).force.length());
  }

  paint() {
    this.tones = ["grey", "green", "orange"].map(shownColor);
    this.update();
  }

  draw() {
    const { lengths } = this;
    const tone = this.tones[contact.mode];
    const head = lengths.head() * (this.share < 1 ? 0.7 : 1);
    const newtons = contact.force.length();
    const length = this.share * lengths.force(newtons);
    const acts = length >= 0.1 * head;
    axis.copy(contact.force).multiplyScalar(acts ? length / newtons : 0);
    this.arrows.put(contact.point, axis, head, tone);
    if (!acts || this.shown !== "cones" || !contact.friction) return;
    const height = (length * contact.force.dot(contact.normal)) / newtons;
    this.cones.put(contact.point, axis.copy(contact.normal).multiplyScalar(height), contact.friction * height, tone);
  }

  update() {
    this.cones.clear();
    this.arrows.clear();
    const frame = this.contacts.frameAt(this.record.time);
    const count = this.shown === "nothing" || !this.tones.length ? 0 : this.contacts.count(frame);
    for (let i = 0; i < count; i++) {
      this.contacts.get(frame, i, contact);
      this.draw();
    }
    this.cones.send();
    this.arrows.send();
  }
}
