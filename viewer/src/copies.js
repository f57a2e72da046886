// Equal shapes in one colour, given by their triangles. All of them are one mesh, whose vertices know whose they are and find the
// place of that shape in a texture: one call draws them, and only the places are sent anew.
import * as THREE from "three";
import { placeOf } from "./pose.js";
import { shownColor } from "./theme.js";

const ROWS = 3; // of a place, a 3 × 4 matrix
const TEXELS = ROWS + 1; // and how bright the shape is, so that neighbours can be told apart

// Each face has one tone, of the side that is seen.
const VERTEX = `
  attribute float copy;
  attribute vec3 face;
  uniform sampler2D places;
  uniform vec3 up;
  uniform vec3 sun;
  uniform vec3 tint;
  flat varying vec3 vTone;
  void main() {
    vec4 rows[3];
    for (int i = 0; i < 3; i++) rows[i] = texelFetch(places, ivec2(i, int(copy)), 0);
    vec4 here = vec4(position, 1.0);
    vec4 place = vec4(dot(rows[0], here), dot(rows[1], here), dot(rows[2], here), 1.0);
    vec3 normal = vec3(dot(rows[0].xyz, face), dot(rows[1].xyz, face), dot(rows[2].xyz, face));
    if (dot(normal, cameraPosition - place.xyz) < 0.0) normal = -normal;
    float light = 0.6 + 0.2 * dot(normal, up) + 0.4 * max(dot(normal, sun), 0.0);
    vTone = light * texelFetch(places, ivec2(3, int(copy)), 0).x * tint;
    gl_Position = projectionMatrix * viewMatrix * place;
  }`;

const FRAGMENT = `
  uniform float opacity;
  flat varying vec3 vTone;
  void main() {
    gl_FragColor = vec4(vTone, opacity);
  }`;

const position = new THREE.Vector3();
const quaternion = new THREE.Quaternion();
const one = new THREE.Vector3(1, 1, 1);

// Corners and normals of all triangles of a mesh, three numbers for each corner.
function facesOf({ points, triangles }) {
  const corner = (i) => new THREE.Vector3().fromArray(points, 3 * triangles[i]);
  const corners = [];
  const normals = [];
  for (let i = 0; i < triangles.length; i += 3) {
    const triangle = new THREE.Triangle(corner(i), corner(i + 1), corner(i + 2));
    const normal = triangle.getNormal(new THREE.Vector3());
    for (const point of [triangle.a, triangle.b, triangle.c]) {
      corners.push(...point.toArray());
      normals.push(...normal.toArray());
    }
  }
  return { corners, normals };
}

// Whether triangles are seen from inside: a room, a drum. Their walls are not drawn from outside, so that one can see into it.
function isHollow({ points, triangles }) {
  let volume = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => new THREE.Vector3().fromArray(points, 3 * triangles[i + k]));
    volume += a.dot(b.cross(c));
  }
  return volume < 0;
}

// So many copies of a list, one behind the other.
function repeat(list, count) {
  const all = new Float32Array(list.length * count);
  for (let i = 0; i < count; i++) all.set(list, i * list.length);
  return all;
}

export class Copies {
  // up: against the weight.
  constructor(record, mesh, bodies, up) {
    this.record = record;
    this.bodies = bodies;
    this.fixed = bodies.every((body) => !body.carrier);
    this.matrices = bodies.map(() => new THREE.Matrix4());
    this.places = new THREE.DataTexture(new Float32Array(4 * TEXELS * bodies.length), TEXELS, bodies.length, THREE.RGBAFormat, THREE.FloatType);
    bodies.forEach((body, i) => (this.places.image.data[4 * (TEXELS * i + ROWS)] = this.fixed ? 1 : 0.85 + 0.3 * ((record.bodies.indexOf(body) * 0.618034) % 1)));
    const { corners, normals } = facesOf(mesh);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(repeat(corners, bodies.length), 3));
    geometry.setAttribute("face", new THREE.BufferAttribute(repeat(normals, bodies.length), 3));
    const count = corners.length / 3;
    geometry.setAttribute("copy", new THREE.BufferAttribute(Float32Array.from({ length: count * bodies.length }, (_, i) => Math.floor(i / count)), 1));
    this.box = new THREE.Box3().setFromArray(corners);
    this.node = new THREE.Mesh(geometry, this.createMaterial(mesh, up));
    this.node.frustumCulled = false;
  }

  createMaterial(mesh, up) {
    const sun = new THREE.Vector3(0.33, 0.55, 0.77).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), up));
    return new THREE.ShaderMaterial({
      uniforms: {
        places: { value: this.places },
        up: { value: up },
        sun: { value: sun },
        tint: { value: new THREE.Vector3() },
        opacity: { value: this.fixed ? 0.22 : 1 },
      },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      side: isHollow(mesh) ? THREE.FrontSide : THREE.DoubleSide,
      forceSinglePass: true,
      transparent: this.fixed,
      depthWrite: !this.fixed,
    });
  }

  update() {
    if (this.fixed && this.placed) return;
    const { data } = this.places.image;
    this.bodies.forEach((body, i) => {
      placeOf(this.record, body, position, quaternion);
      const m = this.matrices[i].compose(position, quaternion, one).elements;
      for (let row = 0; row < ROWS; row++) for (let column = 0; column < 4; column++) data[4 * (TEXELS * i + row) + column] = m[4 * column + row];
    });
    this.places.needsUpdate = true;
    this.placed = true;
  }

  paint() {
    const { r, g, b } = shownColor(this.bodies[0].color);
    this.node.material.uniforms.tint.value.set(r, g, b);
  }

  layer() {}

  enclose(box) {
    const own = new THREE.Box3();
    for (const matrix of this.matrices) box.union(own.copy(this.box).applyMatrix4(matrix));
  }
}
