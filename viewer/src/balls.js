// Many spheres at once. Each is one point, drawn as a disk that is shaded like a sphere: thousands of them are no
// burden, even without a graphics card.
import * as THREE from "three";
import { color } from "./theme.js";

const VERTEX = `
  attribute float radius;
  attribute vec3 tint;
  uniform float height;
  varying vec3 vTint;
  varying vec3 vCenter;
  varying float vRadius;
  void main() {
    vec4 center = modelViewMatrix * vec4(position, 1.0);
    vTint = tint;
    vCenter = center.xyz;
    vRadius = radius;
    gl_Position = projectionMatrix * center;
    gl_PointSize = height * projectionMatrix[1][1] * radius / gl_Position.w;
  }`;

const FRAGMENT = `
  uniform mat4 projectionMatrix;
  varying vec3 vTint;
  varying vec3 vCenter;
  varying float vRadius;
  void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    vec3 normal = vec3(p.x, -p.y, sqrt(1.0 - r2));
    vec4 place = projectionMatrix * vec4(vCenter + vRadius * normal, 1.0);
    gl_FragDepth = 0.5 + 0.5 * place.z / place.w;
    float light = 0.45 + 0.55 * max(dot(normal, vec3(0.3, 0.6, 0.74)), 0.0);
    float shine = pow(max(dot(normal, vec3(0.16, 0.33, 0.93)), 0.0), 40.0);
    gl_FragColor = vec4(light * vTint + 0.25 * shine, 1.0);
    #include <colorspace_fragment>
  }`;

export class Balls {
  constructor(record, shapes) {
    this.record = record;
    this.shapes = shapes;
    const attribute = (size) => new THREE.BufferAttribute(new Float32Array(size * shapes.length), size);
    const geometry = new THREE.BufferGeometry();
    this.position = attribute(3);
    this.radius = attribute(1);
    this.tint = attribute(3);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("radius", this.radius);
    geometry.setAttribute("tint", this.tint);
    this.height = { value: 1 };
    const material = new THREE.ShaderMaterial({ uniforms: { height: this.height }, vertexShader: VERTEX, fragmentShader: FRAGMENT });
    this.node = new THREE.Points(geometry, material);
    this.node.frustumCulled = false;
    this.node.onBeforeRender = (renderer) => (this.height.value = renderer.getDrawingBufferSize(new THREE.Vector2()).y);
  }

  value(value) {
    return value === undefined ? 0 : this.record.number(value);
  }

  update() {
    this.shapes.forEach((shape, i) => {
      const from = shape.carrier ?? shape;
      this.position.setXYZ(i, this.value(from.x), this.value(from.y), this.value(from.z));
      this.radius.setX(i, this.value(shape.radius));
    });
    this.position.needsUpdate = true;
    this.radius.needsUpdate = true;
  }

  paint() {
    const tint = new THREE.Color();
    this.shapes.forEach((shape, i) => {
      tint.set(color(shape.color ?? "ink"));
      this.tint.setXYZ(i, tint.r, tint.g, tint.b);
    });
    this.tint.needsUpdate = true;
  }

  layer() {}

  // Adds every ball to a box.
  enclose(box) {
    const ball = new THREE.Sphere();
    const own = new THREE.Box3();
    for (let i = 0; i < this.shapes.length; i++) {
      ball.center.fromBufferAttribute(this.position, i);
      ball.radius = this.radius.getX(i);
      box.union(ball.getBoundingBox(own));
    }
  }
}

// Spheres that need no mesh of their own: no law colours them, and they sit in the middle of their system. The other
// shapes are left over.
export function gather(shapes) {
  const free = (shape) => !shape.carrier || (!shape.x && !shape.y && !shape.z);
  const plain = (shape) => shape.kind === "sphere" && !shape.law && shape.fit !== "false" && free(shape);
  const balls = shapes.filter(plain);
  const many = balls.length >= 8;
  return { balls: many ? balls : [], others: many ? shapes.filter((shape) => !plain(shape)) : shapes };
}
