// Many spheres at once. Each is one point, drawn as a disk that is shaded like a sphere: thousands of them are no
// burden, even without a graphics card. Two tones show how they turn.
import * as THREE from "three";
import { placeOf } from "./pose.js";
import { shownColor } from "./theme.js";

// What is the same for a whole ball is worked out once: `vFrame` turns a direction that the camera sees into the ball's own, `vDepth`
// is the depth of the centre and the radius.
const VERTEX = `
  attribute float radius;
  attribute vec3 tint;
  attribute vec4 turn;
  uniform float height;
  flat varying vec3 vTint;
  flat varying mat3 vFrame;
  flat varying vec2 vDepth;
  vec3 outward(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
  }
  void main() {
    vec4 center = modelViewMatrix * vec4(position, 1.0);
    float turned = turn == vec4(0.0) ? 0.0 : 1.0;
    vTint = tint;
    vFrame = turned * mat3(viewMatrix) * mat3(outward(turn, vec3(1.0, 0.0, 0.0)), outward(turn, vec3(0.0, 1.0, 0.0)), outward(turn, vec3(0.0, 0.0, 1.0)));
    vDepth = vec2(center.z, radius);
    gl_Position = projectionMatrix * center;
    gl_PointSize = height * projectionMatrix[1][1] * radius / gl_Position.w;
  }`;

const FRAGMENT = `
  uniform mat4 projectionMatrix;
  flat varying vec3 vTint;
  flat varying mat3 vFrame;
  flat varying vec2 vDepth;
  void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    vec3 normal = vec3(p.x, -p.y, sqrt(1.0 - r2));
    float z = vDepth.x + vDepth.y * normal.z;
    gl_FragDepth = 0.5 + 0.5 * (projectionMatrix[2][2] * z + projectionMatrix[3][2]) / (projectionMatrix[2][3] * z + projectionMatrix[3][3]);
    vec3 side = normal * vFrame;
    vec3 tone = side.x * side.y * side.z < 0.0 ? vTint + 0.45 * (1.0 - vTint) : vTint;
    float light = sqrt(0.5 + 0.6 * max(dot(normal, vec3(0.3, 0.6, 0.74)), 0.0));
    float shine = max(dot(normal, vec3(0.16, 0.33, 0.93)), 0.0);
    shine *= shine; shine *= shine; shine *= shine; shine *= shine; shine *= shine;
    gl_FragColor = vec4(light * tone + 0.2 * shine, 1.0);
  }`;

const MANY = 50;

const position = new THREE.Vector3();
const quaternion = new THREE.Quaternion();

export class Balls {
  constructor(record, shapes) {
    this.record = record;
    this.shapes = shapes;
    const attribute = (size) => new THREE.BufferAttribute(new Float32Array(size * shapes.length), size);
    const geometry = new THREE.BufferGeometry();
    this.position = attribute(3);
    this.radius = attribute(1);
    this.tint = attribute(3);
    this.turn = attribute(4);
    for (const name of ["position", "radius", "tint", "turn"]) geometry.setAttribute(name, this[name]);
    this.height = { value: 1 };
    const material = new THREE.ShaderMaterial({ uniforms: { height: this.height }, vertexShader: VERTEX, fragmentShader: FRAGMENT });
    this.node = new THREE.Points(geometry, material);
    this.node.frustumCulled = false;
    this.node.onBeforeRender = (renderer) => (this.height.value = renderer.getDrawingBufferSize(new THREE.Vector2()).y);
  }

  update() {
    this.shapes.forEach((shape, i) => {
      placeOf(this.record, shape, position, quaternion);
      this.position.setXYZ(i, position.x, position.y, position.z);
      this.radius.setX(i, this.record.number(shape.radius));
      if (shape.carrier?.e0 !== undefined) this.turn.setXYZW(i, quaternion.x, quaternion.y, quaternion.z, quaternion.w);
    });
    for (const name of ["position", "radius", "turn"]) this[name].needsUpdate = true;
  }

  paint() {
    this.shapes.forEach((shape, i) => {
      const tint = shownColor(shape.color ?? "ink");
      this.tint.setXYZ(i, tint.r, tint.g, tint.b);
    });
    this.tint.needsUpdate = true;
  }

  layer() {}

  // Adds every ball to a box; of many, a few that went far away do not count.
  enclose(box) {
    if (this.shapes.length >= MANY) {
      this.encloseMost(box);
      return;
    }
    const ball = new THREE.Sphere();
    const own = new THREE.Box3();
    for (let i = 0; i < this.shapes.length; i++) {
      ball.center.fromBufferAttribute(this.position, i);
      ball.radius = this.radius.getX(i);
      box.union(ball.getBoundingBox(own));
    }
  }

  encloseMost(box) {
    const radius = this.radius.array.reduce((most, r) => Math.max(most, r), 0);
    const low = new THREE.Vector3();
    const high = new THREE.Vector3();
    for (let k = 0; k < 3; k++) {
      const values = this.position.array.filter((_, i) => i % 3 === k).sort();
      low.setComponent(k, quantile(values, 0.03) - radius);
      high.setComponent(k, quantile(values, 0.97) + radius);
    }
    box.union(new THREE.Box3(low, high));
  }
}

// Of n numbers in ascending order.
const quantile = (values, share) => values[Math.round(share * (values.length - 1))];

// Spheres that need no mesh of their own: no law colours them, and they sit in the middle of their system. The other
// shapes are left over.
export function gather(shapes) {
  const free = (shape) => !shape.carrier || (!shape.x && !shape.y && !shape.z);
  const plain = (shape) => shape.kind === "sphere" && !shape.law && shape.fit !== "false" && free(shape);
  const balls = shapes.filter(plain);
  const many = balls.length >= 8;
  return { balls: many ? balls : [], others: many ? shapes.filter((shape) => !plain(shape)) : shapes };
}
