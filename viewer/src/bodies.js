// The shapes of the scene as they are: spheres as points, all others by their triangles, equal ones at once.
import * as THREE from "three";
import { Balls } from "./balls.js";
import { Copies } from "./copies.js";
import { placeOf } from "./pose.js";
import { color } from "./theme.js";

const TONES = ["blue", "teal", "violet", "brown", "red", "ink"]; // not those of modes

const position = new THREE.Vector3();
const quaternion = new THREE.Quaternion();

// What moves has a colour of its material; what is fixed is grey.
function giveColors(bodies) {
  const materials = [...new Set(bodies.filter((body) => body.carrier).map((body) => body.material ?? ""))];
  for (const body of bodies) body.color = body.carrier ? TONES[materials.indexOf(body.material ?? "") % TONES.length] : "grey";
}

// A plane has no end: a square below what is there, and a little more. A wall is a frame with nothing inside, so that one
// can see through it. Nothing of it is transparent, which would be slow without a graphics card.
export class Ground {
  constructor(record, body, up) {
    this.record = record;
    this.body = body;
    this.node = new THREE.Group();
    this.sheet = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    this.node.add(this.sheet, this.lines);
    if (up && Math.abs(this.normal().dot(up)) < 0.5) this.makeWall();
    this.node.renderOrder = -1;
  }

  makeWall() {
    this.wall = true;
    this.sheet.visible = false;
  }

  normal() {
    placeOf(this.record, this.body, position, quaternion);
    return new THREE.Vector3(0, 0, 1).applyQuaternion(quaternion);
  }

  // Below a point, as wide as needed, with lines at round distances.
  spread(center, extent) {
    const size = 1.7 * extent;
    const power = 10 ** Math.floor(Math.log10(size / 6));
    const step = [5, 2, 1].map((s) => s * power).find((s) => size / s >= 6) ?? power;
    const half = Math.ceil(size / 2 / step) * step;
    placeOf(this.record, this.body, position, quaternion);
    const local = center.clone().sub(position).applyQuaternion(quaternion.clone().invert());
    this.offset = new THREE.Vector3(Math.round(local.x / step) * step, Math.round(local.y / step) * step, 0);
    const points = this.wall ? [-half, -half, 0, half, -half, 0, half, -half, 0, half, half, 0, half, half, 0, -half, half, 0, -half, half, 0, -half, -half, 0] : [];
    for (let s = -half; !this.wall && s <= half + 1e-9 * half; s += step) points.push(s, -half, 0, s, half, 0, -half, s, 0, half, s, 0);
    this.lines.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    this.sheet.scale.setScalar(2 * half);
    this.update();
  }

  update() {
    placeOf(this.record, this.body, this.node.position, this.node.quaternion);
    if (this.offset) this.node.position.add(this.offset.clone().applyQuaternion(this.node.quaternion));
  }

  paint() {
    const tone = new THREE.Color(color("grey"));
    const paper = new THREE.Color(color("paper"));
    this.sheet.material.color.copy(paper).lerp(tone, 0.1);
    this.lines.material.color.copy(paper).lerp(tone, 0.45);
  }

  layer() {}

  enclose() {}
}

// Parts of the stage that draw the bodies of a record.
export function createBodies(record, up) {
  const { bodies, meshes } = record;
  giveColors(bodies);
  const parts = [];
  const balls = bodies.filter((body) => body.radius);
  if (balls.length) parts.push(new Balls(record, balls));
  const groups = new Map();
  for (const body of bodies) {
    if (body.radius) continue;
    if (body.type === "plane") {
      parts.push(new Ground(record, body, up));
      continue;
    }
    if (!meshes[body.mesh]?.triangles.length) continue;
    const key = `${body.mesh} ${body.color}`;
    groups.set(key, [...(groups.get(key) ?? []), body]);
  }
  for (const group of groups.values()) parts.push(new Copies(record, meshes[group[0].mesh], group, up));
  return parts;
}

// Which way is up: against the weight where the scene tells it, else out of a fixed plane, else z.
export function upwards(record) {
  const weight = /acceleration:\s*\[([^\]]+)\]/.exec(record.scene ?? "")?.[1].split(",").map(Number);
  if (weight?.length === 3 && weight.every(Number.isFinite) && weight.some((g) => g)) {
    const down = new THREE.Vector3().fromArray(weight);
    return down.negate().normalize();
  }
  const ground = record.bodies.find((body) => body.type === "plane" && !body.carrier);
  return ground ? new Ground(record, ground).normal() : new THREE.Vector3(0, 0, 1);
}
