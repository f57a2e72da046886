// Shapes of a drawing as objects of three.js. Each has `node`, update() for the current moment of the record, and
// paint() for a change of colours. Flat shapes are painted over each other in the order of the scene.
import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import * as outline from "./outline.js";
import { color } from "./theme.js";

const SOLIDS = ["sphere", "cylinder"];

export function solid(shape) {
  return SOLIDS.includes(shape.kind) || shape.size?.length === 3;
}

function inSpace(shape) {
  const deep = (list) => list?.some((item) => item.length === 3);
  return solid(shape) || shape.z || shape.rotation || shape.carrier?.z || deep(shape.points) || shape.force?.length === 3;
}

// Whether a drawing lies in a plane.
export function planar(shapes) {
  return !shapes.some(inSpace);
}

const moves = (value) => (Array.isArray(value) ? value.some(moves) : typeof value === "object");

// A polyline of a width in pixels.
class Stroke {
  constructor(width, pairs = false) {
    this.material = new LineMaterial({ linewidth: width, depthTest: false, transparent: true });
    this.pairs = pairs;
    this.node = pairs ? new LineSegments2(new LineSegmentsGeometry(), this.material) : new Line2(new LineGeometry(), this.material);
    this.count = 0;
    this.node.frustumCulled = false;
  }

  set(points) {
    if (points.length !== this.count) {
      this.node.geometry.dispose();
      this.node.geometry = this.pairs ? new LineSegmentsGeometry() : new LineGeometry();
      this.count = points.length;
    }
    this.node.geometry.setPositions(points.flat());
  }
}

// Where a shape is: the frame of its system, and in it a frame of its own.
class Shape {
  constructor(record, shape) {
    this.record = record;
    this.shape = shape;
    this.frame = new THREE.Group();
    this.node = new THREE.Group();
    this.node.add(this.frame);
    this.node.name = shape.name;
    this.materials = [];
    this.law = record.lawByName.get(shape.law);
  }

  value(value, fallback = 0) {
    return value === undefined ? fallback : this.record.number(value);
  }

  points() {
    return this.shape.points.map((row) => [this.value(row[0]), this.value(row[1]), this.value(row[2])]);
  }

  place(group, x, y, z, angle, rotation) {
    group.position.set(this.value(x), this.value(y), this.value(z));
    if (rotation?.[0] !== undefined) {
      const [e0, e1, e2, e3] = rotation.map((e) => this.value(e));
      group.quaternion.set(e1, e2, e3, e0).normalize();
    } else {
      group.rotation.z = this.value(angle);
    }
  }

  update() {
    const { x, y, z, angle, rotation, carrier } = this.shape;
    this.place(this.frame, x, y, z, angle, rotation);
    if (carrier) {
      const turn = carrier.e0 === undefined ? undefined : [carrier.e0, carrier.e1, carrier.e2, carrier.e3];
      this.place(this.node, carrier.x, carrier.y, carrier.z, carrier.phi, turn);
    }
    if (this.law !== undefined) this.paint();
    this.updateForm();
  }

  updateForm() {}

  // Of the mode where a law colours the shape.
  tint() {
    if (this.law === undefined) return this.shape.color ?? "ink";
    return this.record.mode(this.law, this.record.time) === 0 ? "green" : "orange";
  }

  paint() {
    const name = this.tint();
    if (this.painted === `${name} ${document.documentElement.dataset.theme}`) return;
    this.painted = `${name} ${document.documentElement.dataset.theme}`;
    for (const material of this.materials) material.color.set(color(name));
    this.paintInside?.(color(name));
  }

  // In the order of painting.
  layer(order) {
    this.node.traverse((node) => (node.renderOrder = order + (node.userData.above ?? 0)));
  }
}

class LineShape extends Shape {
  constructor(record, shape, scene) {
    super(record, shape);
    this.spacing = scene.spacing;
    this.stroke = new Stroke(Number(shape.width ?? 2));
    this.frame.add(this.stroke.node);
    this.materials.push(this.stroke.material);
    if (shape.hatch === "true") {
      this.hatch = new Stroke(1, true);
      this.hatch.node.userData.ornament = true;
      this.frame.add(this.hatch.node);
      this.materials.push(this.hatch.material);
    }
  }

  updateForm() {
    if (this.drawn && !moves(this.shape.points)) return;
    const points = this.points();
    this.stroke.set(points);
    this.hatch?.set(outline.hatch(points, this.spacing()));
    this.drawn = true;
  }
}

class SpringShape extends Shape {
  constructor(record, shape) {
    super(record, shape);
    this.stroke = new Stroke(Number(shape.width ?? 2));
    this.frame.add(this.stroke.node);
    this.materials.push(this.stroke.material);
  }

  updateForm() {
    const [a, b] = this.points();
    this.stroke.set(outline.spring(a, b, this.value(this.shape.radius), Number(this.shape.turns ?? 8)));
  }
}

// Where its point has been and will be.
class TrailShape extends Shape {
  constructor(record, shape) {
    super(record, shape);
    this.stroke = new Stroke(Number(shape.width ?? 1));
    this.materials.push(this.stroke.material);
    this.node.clear();
    this.node.add(this.stroke.node);
  }

  updateForm() {
    if (this.traced) return;
    const all = (value) => (typeof value === "object" ? this.record.samples(value.s) : new Float32Array(this.record.rows).fill(value ?? 0));
    const [x, y, z] = [all(this.shape.x), all(this.shape.y), all(this.shape.z)];
    this.stroke.set(Array.from(x, (_, i) => [x[i], y[i], z[i]]));
    this.traced = true;
  }
}

// Closed outline and what is inside.
class AreaShape extends Shape {
  constructor(record, shape) {
    super(record, shape);
    this.stroke = new Stroke(Number(shape.width ?? 2));
    this.stroke.node.userData.above = 0.2;
    this.materials.push(this.stroke.material);
    this.frame.add(this.stroke.node);
    if (shape.fill !== "none") {
      this.inside = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, side: THREE.DoubleSide });
      this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.inside);
      this.mesh.frustumCulled = false;
      this.frame.add(this.mesh);
    }
  }

  // Soft: a light tone of the colour that hides what is behind.
  paintInside(name) {
    if (!this.inside) return;
    const share = this.shape.fill === "solid" ? 1 : 0.22;
    this.inside.color.set(color("paper")).lerp(new THREE.Color(name), share);
  }
}

class CircleShape extends AreaShape {
  constructor(record, shape) {
    super(record, shape);
    this.stroke.set(outline.circle());
    if (this.mesh) this.mesh.geometry = new THREE.CircleGeometry(1, 64);
    if (moves(shape.angle) || moves(shape.carrier?.phi)) this.addSpokes();
  }

  // So that turning can be seen.
  addSpokes() {
    const spokes = new Stroke(1, true);
    spokes.set([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]]);
    spokes.node.userData.above = 0.1;
    this.materials.push(spokes.material);
    this.frame.add(spokes.node);
  }

  updateForm() {
    this.frame.scale.setScalar(Math.max(this.value(this.shape.radius), 1e-12));
  }
}

class BoxShape extends AreaShape {
  constructor(record, shape) {
    super(record, shape);
    this.stroke.set(outline.square);
    if (this.mesh) this.mesh.geometry = new THREE.PlaneGeometry(1, 1);
  }

  updateForm() {
    const [width, height] = this.shape.size;
    this.frame.scale.set(Math.max(this.value(width), 1e-12), Math.max(this.value(height), 1e-12), 1);
  }
}

class PolygonShape extends AreaShape {
  updateForm() {
    if (this.drawn && !moves(this.shape.points)) return;
    const points = this.points();
    this.stroke.set([...points, points[0]]);
    if (this.mesh) this.fill(points);
    this.drawn = true;
  }

  fill(points) {
    const flat = points.map(([x, y]) => new THREE.Vector2(x, y));
    this.mesh.geometry.dispose();
    this.mesh.geometry = new THREE.BufferGeometry();
    this.mesh.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points.flat(), 3));
    this.mesh.geometry.setIndex(THREE.ShapeUtils.triangulateShape(flat, []).flat());
  }
}

class TextShape extends Shape {
  constructor(record, shape) {
    super(record, shape);
    this.canvas = document.createElement("canvas");
    this.texture = new THREE.CanvasTexture(this.canvas);
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: this.texture, depthTest: false }));
    this.frame.add(this.sprite);
  }

  paintInside(name) {
    const context = this.canvas.getContext("2d");
    const font = "64px system-ui, sans-serif";
    context.font = font;
    this.canvas.width = Math.ceil(context.measureText(this.shape.text).width) + 8;
    this.canvas.height = 84;
    context.font = font;
    context.fillStyle = name;
    context.textBaseline = "middle";
    context.fillText(this.shape.text, 4, 44);
    this.texture.dispose();
    this.texture.needsUpdate = true;
  }

  updateForm() {
    const height = (this.value(this.shape.size[0]) * 84) / 64;
    this.sprite.scale.set((height * this.canvas.width) / this.canvas.height, height, 1);
  }
}

class SolidShape extends Shape {
  constructor(record, shape) {
    super(record, shape);
    const material = new THREE.MeshLambertMaterial();
    this.materials.push(material);
    this.mesh = new THREE.Mesh(this.geometry(), material);
    this.frame.add(this.mesh);
  }

  geometry() {
    if (this.shape.kind === "sphere") return new THREE.SphereGeometry(1, 24, 16);
    if (this.shape.kind === "cylinder") return new THREE.CylinderGeometry(1, 1, 1, 32).rotateX(Math.PI / 2);
    return new THREE.BoxGeometry(1, 1, 1);
  }

  updateForm() {
    const { kind, size, length } = this.shape;
    if (kind === "box") {
      this.mesh.scale.set(...size.map((s) => this.value(s)));
      return;
    }
    const radius = this.value(this.shape.radius);
    this.mesh.scale.set(radius, radius, kind === "sphere" ? radius : this.value(length));
  }
}

const X = new THREE.Vector3(1, 0, 0);

// A force at a point. scene.force(newtons) gives its length.
class ArrowShape extends Shape {
  constructor(record, shape, scene) {
    super(record, shape);
    this.scene = scene;
    this.stroke = new Stroke(Number(shape.width ?? 2.5));
    this.head = new THREE.Mesh(new THREE.ConeGeometry(0.38, 1, 24).rotateZ(-Math.PI / 2), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }));
    this.arrow = new THREE.Group();
    this.arrow.add(this.stroke.node, this.head);
    this.frame.add(this.arrow);
    this.materials.push(this.stroke.material, this.head.material);
    this.direction = new THREE.Vector3();
    this.node.traverse((node) => (node.userData.ornament = true));
    if (shape.cone !== undefined) this.addCone();
    this.head.userData.above = 0.1;
  }

  addCone() {
    this.coneLines = new Stroke(1);
    this.coneLines.material.opacity = 0.55;
    this.coneLines.node.userData.ornament = true;
    this.materials.push(this.coneLines.material);
    this.frame.add(this.coneLines.node);
  }

  tint() {
    return this.law === undefined ? this.shape.color ?? "red" : super.tint();
  }

  newtons() {
    return this.direction.set(...[0, 1, 2].map((i) => this.value(this.shape.force[i])));
  }

  // Where its head is, but no farther than `most`.
  tip(most) {
    this.node.updateWorldMatrix(true, true);
    return this.arrow.localToWorld(new THREE.Vector3(Math.min(this.length, most), 0, 0));
  }

  updateForm() {
    const size = this.newtons().length();
    const length = this.scene.force(size);
    const head = Math.min(this.scene.head(), 0.6 * length);
    this.length = length;
    this.arrow.visible = length > 0.15 * this.scene.head();
    if (this.coneLines) this.updateCone();
    if (!this.arrow.visible) return;
    this.arrow.quaternion.setFromUnitVectors(X, this.direction.divideScalar(size));
    this.stroke.set([[0, 0, 0], [length - 0.9 * head, 0, 0]]);
    this.head.position.x = length - head / 2;
    this.head.scale.setScalar(head);
  }

  // Its two edges in the plane; it is there while the contact is.
  updateCone() {
    const normal = this.shape.normal.map((n) => this.value(n));
    const size = Math.hypot(...normal) || 1;
    const [x, y] = normal.map((n) => n / size);
    const mu = this.value(this.shape.cone);
    const length = 0.8 * this.scene.longest();
    const shown = this.arrow.visible;
    this.coneLines.node.visible = shown;
    if (shown)
      this.coneLines.set([
        [length * (x - mu * y), length * (y + mu * x), 0],
        [0, 0, 0],
        [length * (x + mu * y), length * (y - mu * x), 0],
      ]);
  }
}

const KINDS = {
  line: LineShape,
  spring: SpringShape,
  trail: TrailShape,
  circle: CircleShape,
  box: BoxShape,
  polygon: PolygonShape,
  text: TextShape,
  arrow: ArrowShape,
};

// scene: { spacing(), force(newtons), head(), longest() }, lengths that depend on the view.
export function createShape(record, shape, scene) {
  const Kind = solid(shape) ? SolidShape : KINDS[shape.kind];
  return new Kind(record, shape, scene);
}
