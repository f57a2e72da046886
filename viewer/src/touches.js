// Touches of shapes: points, forces on the second shape, and friction cones. Green sticks, orange slips, grey is open. A
// cone is as high as the normal force, so that the force of a sliding touch ends on its rim.
import * as THREE from "three";
import { newTouch } from "./contacts.js";
import { color } from "./theme.js";

// Touches: the cones of many would hide each other, and their arrows are shorter; those of very many hide all.
const MANY = 24;
const VERY_MANY = 300;
const Y = new THREE.Vector3(0, 1, 0);

const touch = newTouch();
const matrix = new THREE.Matrix4();
const scale = new THREE.Vector3();
const direction = new THREE.Vector3();
const turn = new THREE.Quaternion();

// Over everything else; transparent ones are drawn last in any case.
function instances(geometry, count, opacity = 1) {
  const material = new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: opacity < 1, opacity });
  if (opacity < 1) material.side = THREE.DoubleSide;
  const mesh = new THREE.InstancedMesh(geometry, material, count);
  mesh.frustumCulled = false;
  mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * count), 3);
  mesh.count = 0;
  return mesh;
}

export class Touches {
  // lengths: those of the stage.
  constructor(record, lengths) {
    this.record = record;
    this.contacts = record.contacts;
    this.lengths = lengths;
    const most = Math.max(this.contacts.most, 1);
    this.shown = most > VERY_MANY ? "nothing" : most > MANY ? "forces" : "cones";
    this.share = most > MANY ? 0.4 : 1;
    const sides = most > MANY ? 3 : 12;
    this.shafts = instances(new THREE.CylinderGeometry(0.5, 0.5, 1, sides, 1, true).translate(0, 0.5, 0), most);
    this.heads = instances(new THREE.ConeGeometry(0.38, 1, sides, 1, sides < 6).translate(0, -0.5, 0), most);
    this.cones = instances(new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0), most, 0.22);
    this.dots = instances(sides < 6 ? new THREE.OctahedronGeometry(0.5) : new THREE.SphereGeometry(0.5, 8, 6), most);
    this.node = new THREE.Group();
    this.node.add(this.cones, this.shafts, this.heads, this.dots);
    [this.cones, this.shafts, this.heads, this.dots].forEach((mesh, i) => (mesh.renderOrder = 1000 + i));
    this.tones = [new THREE.Color(), new THREE.Color(), new THREE.Color()];
  }

  layer() {}

  enclose() {}

  // Sizes of the forces at the current moment, for the scale of the stage.
  sizes() {
    const frame = this.contacts.frameAt(this.record.time);
    return Array.from({ length: this.contacts.count(frame) }, (_, i) => this.contacts.get(frame, i, touch).force.length());
  }

  paint() {
    ["grey", "green", "orange"].forEach((name, i) => this.tones[i].set(color(name)));
    this.update();
  }

  put(mesh, position, quaternion, x, y, z, tone) {
    const i = mesh.count++;
    mesh.setMatrixAt(i, matrix.compose(position, quaternion, scale.set(x, y, z)));
    mesh.setColorAt(i, tone);
  }

  draw() {
    const { lengths, tones } = this;
    const tone = tones[touch.mode];
    const head = lengths.head() * (this.share < 1 ? 0.7 : 1);
    this.put(this.dots, touch.point, turn.identity(), 0.3 * head, 0.3 * head, 0.3 * head, tone);
    const newtons = touch.force.length();
    const length = this.share * lengths.force(newtons);
    if (length < 0.1 * head) return;
    const tip = Math.min(0.8 * head, 0.5 * length);
    turn.setFromUnitVectors(Y, direction.copy(touch.force).divideScalar(newtons));
    this.put(this.shafts, touch.point, turn, 0.1 * head, length - 0.9 * tip, 0.1 * head, tone);
    this.put(this.heads, direction.multiplyScalar(length).add(touch.point), turn, tip, tip, tip, tone);
    if (this.shown !== "cones" || !touch.friction) return;
    const height = (length * touch.force.dot(touch.normal)) / newtons;
    turn.setFromUnitVectors(Y, touch.normal);
    this.put(this.cones, touch.point, turn, touch.friction * height, height, touch.friction * height, tone);
  }

  update() {
    const meshes = [this.dots, this.shafts, this.heads, this.cones];
    for (const mesh of meshes) mesh.count = 0;
    const frame = this.contacts.frameAt(this.record.time);
    const count = this.shown === "nothing" ? 0 : this.contacts.count(frame);
    for (let i = 0; i < count; i++) {
      this.contacts.get(frame, i, touch);
      this.draw();
    }
    for (const mesh of meshes) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
    }
  }
}
