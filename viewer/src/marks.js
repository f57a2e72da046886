// Marks in space that are drawn as one flat rectangle each, all in one call: what is inside is found for each pixel. So thousands
// of arrows and cones are no burden, even without a graphics card. They lie over everything else.
import * as THREE from "three";

// Lays the rectangle along the picture of an axis. `place` is the pixel's distance from the foot along it and across it.
const VERTEX = `
  attribute vec3 axis;
  attribute float width;
  attribute vec3 tint;
  uniform vec2 size;
  flat varying vec3 vTint;
  flat varying vec4 vForm;
  varying vec2 vPlace;
  FORM
  void main() {
    vec4 start = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 end = projectionMatrix * modelViewMatrix * vec4(position + axis, 1.0);
    vec2 along = 0.5 * size * (end.xy / end.w - start.xy / start.w);
    float pixels = 0.5 * size.y * projectionMatrix[1][1] / start.w; // a metre there
    float drawn = length(along);
    vec2 direction = drawn > 1e-3 ? along / drawn : vec2(0.0, 1.0);
    vec3 reach; // behind the foot, before it, across
    vForm = form(pixels, drawn, (modelViewMatrix * vec4(axis, 0.0)).xyz, reach);
    int corner = gl_VertexID & 3;
    vPlace = vec2(corner == 0 || corner == 3 ? -reach.x : reach.y, corner < 2 ? -reach.z : reach.z);
    vec2 spot = direction * vPlace.x + vec2(-direction.y, direction.x) * vPlace.y;
    vTint = tint;
    gl_Position = vec4(start.xy / start.w + 2.0 * spot / size, 0.0, 1.0);
    if (start.w <= 0.0 || end.w <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  }`;

const FRAGMENT = `
  uniform float opacity;
  flat varying vec3 vTint;
  flat varying vec4 vForm;
  varying vec2 vPlace;
  INSIDE
  void main() {
    float share = clamp(0.5 + inside(vPlace, vForm), 0.0, 1.0);
    if (share == 0.0) discard;
    gl_FragColor = vec4(vTint, opacity * share);
  }`;

// Pixels of the tip, of the whole, of half the shaft and of the dot at the foot; width: that of the head in metres.
export const ARROW = {
  form: `
    vec4 form(float pixels, float drawn, vec3 axis, out vec3 reach) {
      float head = pixels * width;
      float tip = min(0.8 * head, 0.5 * drawn);
      float dot = max(0.15 * head, 1.5);
      reach = vec3(dot + 1.0, max(drawn, dot) + 1.0, max(0.38 * tip, dot) + 1.0);
      return vec4(tip, drawn, max(0.05 * head, 0.9), dot);
    }`,
  inside: `
    float inside(vec2 place, vec4 form) {
      float side = abs(place.y);
      float left = form.y - place.x;
      float shaft = min(min(place.x, left - form.x), form.z - side);
      float head = min(0.38 * left - side, form.x - left);
      return max(form.w - length(place), max(shaft, head));
    }`,
};

// Pixels of the axis and of the two half axes of the base; width: that of the base's radius in metres.
export const CONE = {
  form: `
    vec4 form(float pixels, float drawn, vec3 axis, out vec3 reach) {
      float radius = pixels * width;
      float flattened = radius * abs(axis.z) / max(length(axis), 1e-12);
      reach = vec3(max(flattened - drawn, 0.0) + 1.0, drawn + flattened + 1.0, radius + 1.0);
      return vec4(drawn, max(flattened, 0.5), radius, 0.0);
    }`,
  // The base, and the two lines from the foot that contact it.
  inside: `
    float inside(vec2 place, vec4 form) {
      vec2 base = vec2(place.x - form.x, place.y) / form.yz;
      float ellipse = (1.0 - length(base)) * min(form.y, form.z);
      if (form.y >= form.x) return ellipse;
      float share = form.y / form.x;
      float contact = form.x - form.y * share;
      float slope = form.z * sqrt(1.0 - share * share) / contact;
      return max(ellipse, min(min(place.x, contact - place.x), slope * place.x - abs(place.y)));
    }`,
};

const CORNERS = 4;

const buffer = (items, count) => new THREE.BufferAttribute(new Float32Array(items * CORNERS * count), items).setUsage(THREE.DynamicDrawUsage);

// Two triangles for each rectangle.
function corners(most) {
  const index = new Uint32Array(6 * most);
  for (let i = 0; i < most; i++) index.set([0, 1, 2, 0, 2, 3].map((corner) => CORNERS * i + corner), 6 * i);
  return new THREE.BufferAttribute(index, 1);
}

// Copies of one rectangle would be simpler, but without a graphics card each of them is drawn by itself, which is slow.
export class Marks {
  constructor(kind, most, { opacity = 1, order = 0 } = {}) {
    this.geometry = new THREE.BufferGeometry();
    this.position = buffer(3, most); // the foot
    this.axis = buffer(3, most);
    this.width = buffer(1, most);
    this.tint = buffer(3, most);
    for (const name of ["position", "axis", "width", "tint"]) this.geometry.setAttribute(name, this[name]);
    this.geometry.setIndex(corners(most));
    const material = new THREE.ShaderMaterial({
      uniforms: { size: { value: new THREE.Vector2(1, 1) }, opacity: { value: opacity } },
      vertexShader: VERTEX.replace("FORM", kind.form),
      fragmentShader: FRAGMENT.replace("INSIDE", kind.inside),
      depthTest: false,
      depthWrite: false,
      transparent: true,
    });
    this.node = new THREE.Mesh(this.geometry, material);
    this.node.frustumCulled = false;
    this.node.renderOrder = order;
    this.node.onBeforeRender = (renderer) => renderer.getDrawingBufferSize(material.uniforms.size.value);
    this.count = 0;
  }

  clear() {
    this.count = 0;
  }

  // axis: a vector in metres; tone: red, green and blue as they are shown.
  put(foot, axis, width, tone) {
    for (let i = CORNERS * this.count; i < CORNERS * (this.count + 1); i++) {
      this.position.setXYZ(i, foot.x, foot.y, foot.z);
      this.axis.setXYZ(i, axis.x, axis.y, axis.z);
      this.width.setX(i, width);
      this.tint.setXYZ(i, tone.r, tone.g, tone.b);
    }
    this.count++;
  }

  // Hands over what was put.
  send() {
    for (const attribute of [this.position, this.axis, this.width, this.tint]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, CORNERS * this.count * attribute.itemSize);
      attribute.needsUpdate = true;
    }
    this.geometry.setDrawRange(0, 6 * this.count);
    this.node.visible = this.count > 0;
  }
}
