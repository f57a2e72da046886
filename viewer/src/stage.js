// The drawing: three.js, a camera that can be moved, and arrows whose length suits the view.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { createShape, planar } from "./shapes.js";
import { Balls, gather } from "./balls.js";
import { createBodies, Ground, upwards } from "./bodies.js";
import { placeOf } from "./pose.js";
import { ContactMarks } from "./contact_marks.js";
import * as theme from "./theme.js";

const STILL = 250; // ms
const SAMPLES = 160; // moments that the first view and the scale of forces look at

// Whether the processor draws. Smooth edges then take more time than all the rest.
function software() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl?.getParameter(gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  // fine: for a picture, whatever time it takes.
  constructor(element, record, fine) {
    this.element = element;
    this.record = record;
    this.flat = planar(record.shapes) && !record.bodies.length;
    this.up = record.bodies.length ? upwards(record) : new THREE.Vector3(0, 1, 0);
    this.scene = new THREE.Scene();
    this.forceFactor = 1;
    this.newton = 1;
    this.extent = 1;
    this.center = new THREE.Vector3();
    this.followed = null;
    this.rough = !fine && record.bodies.length > 0 && software();
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.rough, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(this.rough ? 1 : Math.min(devicePixelRatio, 2));
    element.prepend(this.renderer.domElement);
    this.addShapes();
    this.addLight();
    this.measure();
    this.addCamera();
    this.paint();
    theme.listen(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  addShapes() {
    const lengths = {
      spacing: () => this.extent / 45,
      force: (newtons) => Math.min(newtons * this.newton * this.forceFactor, 1.6 * lengths.longest()),
      longest: () => this.extent / 4,
      head: () => this.extent / 32,
    };
    const { balls, others } = gather(this.record.shapes);
    this.shapes = others.map((shape) => createShape(this.record, shape, lengths));
    this.contactMarks = this.record.contacts && new ContactMarks(this.record, lengths);
    this.parts = [...createBodies(this.record, this.up), ...this.shapes];
    if (balls.length) this.parts.push(new Balls(this.record, balls));
    if (this.contactMarks) this.parts.push(this.contactMarks);
    this.parts.forEach((part, i) => part.layer(i));
    this.scene.add(...this.parts.map((part) => part.node));
  }

  addLight() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f96, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.8);
    sun.position.set(0.6, 1, 1.4).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up));
    this.scene.add(sun);
  }

  updateParts(time) {
    this.record.seek(time);
    for (const part of this.parts) part.update();
  }

  // The box that holds everything at all times, and the length of one newton.
  measure() {
    const { start, end } = this.record;
    const box = new THREE.Box3();
    const forces = [];
    this.newton = 0;
    for (let i = 0; i < SAMPLES; i++) {
      this.updateParts(start + ((end - start) * i) / (SAMPLES - 1));
      this.scene.updateMatrixWorld(true);
      this.parts.forEach((part) => this.enclose(part, box));
      for (const shape of this.shapes) if (shape.newtons) forces.push(shape.newtons().length());
      if (this.contactMarks) forces.push(...this.contactMarks.sizes());
    }
    if (box.isEmpty()) box.expandByPoint(new THREE.Vector3());
    box.getCenter(this.center);
    const size = box.getSize(new THREE.Vector3());
    this.box = size;
    this.extent = Math.max(size.x, size.y, size.z, 1e-9);
    this.newton = this.scaleOf(forces);
    this.makeRoom(box);
    for (const shape of this.shapes) shape.drawn = false;
    for (const part of this.parts) if (part instanceof Ground) part.spread(this.center, this.extent);
  }

  // For the arrows, now that their length is known.
  makeRoom(box) {
    const arrows = this.shapes.filter((shape) => shape.tip && shape.shape.fit !== "false");
    const { start, end } = this.record;
    for (let i = 0; arrows.length && i < SAMPLES; i++) {
      this.updateParts(start + ((end - start) * i) / (SAMPLES - 1));
      for (const arrow of arrows) if (arrow.arrow.visible) box.expandByPoint(arrow.tip(this.extent / 4));
    }
    box.getCenter(this.center);
    box.getSize(this.box);
  }

  enclose(part, box) {
    if (part.shape?.fit === "false") return;
    if (part.enclose) {
      part.enclose(box);
      return;
    }
    part.node.traverse((node) => {
      if (!node.geometry || node.userData.ornament) return;
      node.geometry.computeBoundingBox();
      const own = node.geometry.boundingBox.clone();
      if (!own.isEmpty()) box.union(own.applyMatrix4(node.matrixWorld));
    });
  }

  // Nine of ten forces that act are shorter than the longest arrow.
  scaleOf(forces) {
    const acting = forces.filter((force) => force > 0).sort((a, b) => a - b);
    if (!acting.length) return 1;
    return this.extent / 4 / acting[Math.floor(0.9 * (acting.length - 1))];
  }

  addCamera() {
    this.camera = this.flat ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(32);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => (this.stale = true));
    this.controls.addEventListener("start", () => (this.moved = true)); // by hand; until then the view fits its window
    if (this.flat) {
      this.controls.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.ROTATE };
      this.controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_ROTATE };
    }
    this.controls.screenSpacePanning = true;
  }

  fit() {
    const view = this.flat ? new THREE.Vector3(0, 0, 1) : this.viewpoint();
    const distance = this.flat ? 10 * this.extent : this.distance(view);
    this.controls.target.copy(this.center);
    this.camera.position.copy(this.center).addScaledVector(view, distance);
    this.camera.near = this.flat ? 0 : distance / 100;
    this.camera.far = 100 * distance;
    this.camera.zoom = 1;
    this.moved = false;
    this.frame();
    this.controls.update();
    this.stale = true;
  }

  // From the front, a little from the right and from above.
  viewpoint() {
    const front = Math.abs(this.up.z) > 0.7 ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1);
    front.addScaledVector(this.up, -front.dot(this.up)).normalize();
    const right = new THREE.Vector3().crossVectors(this.up, front);
    return front.addScaledVector(right, 0.35).addScaledVector(this.up, 0.3).normalize();
  }

  // From where a perspective camera sees every corner of the box, beside the tools and with a margin.
  distance(view) {
    const high = Math.tan((this.camera.fov * Math.PI) / 360) * (1 - this.covered()) * 0.92;
    const wide = Math.tan((this.camera.fov * Math.PI) / 360) * this.aspect() * 0.92;
    const right = new THREE.Vector3().crossVectors(this.up, view).normalize();
    const above = new THREE.Vector3().crossVectors(view, right);
    let distance = this.extent;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).multiply(this.box);
      const side = Math.max(Math.abs(corner.dot(above)) / high, Math.abs(corner.dot(right)) / wide);
      distance = Math.max(distance, side + corner.dot(view));
    }
    return distance;
  }

  // The share of the stage's height that lies under its tools.
  covered() {
    const tools = this.element.querySelector("#stage-tools");
    const { clientHeight } = this.element;
    return tools?.offsetHeight ? Math.min((tools.offsetTop + tools.offsetHeight) / clientHeight, 0.3) : 0;
  }

  aspect() {
    return this.element.clientWidth / Math.max(this.element.clientHeight, 1);
  }

  // An orthographic camera sees the whole box with a margin.
  frame() {
    if (this.flat) {
      const margin = 1.16;
      const free = 1 - this.covered();
      const height = Math.max(this.box.y / free, this.box.x / this.aspect(), this.extent * 1e-3) * margin;
      this.camera.top = (height * (2 - free)) / 2;
      this.camera.bottom = this.camera.top - height;
      this.camera.right = (height * this.aspect()) / 2;
      this.camera.left = -this.camera.right;
    } else {
      const { clientWidth, clientHeight } = this.element;
      this.camera.aspect = this.aspect();
      this.camera.setViewOffset(clientWidth, clientHeight, 0, (-this.covered() * clientHeight) / 2, clientWidth, clientHeight);
    }
    this.camera.updateProjectionMatrix();
  }

  resize() {
    if (!this.element.clientWidth || !this.element.clientHeight) return;
    this.renderer.setSize(this.element.clientWidth, this.element.clientHeight);
    if (this.moved) this.frame();
    else this.fit();
    this.stale = true;
  }

  paint() {
    this.scene.background = new THREE.Color(theme.color("paper"));
    for (const part of this.parts) part.paint();
    this.stale = true;
  }

  // The name of a shape of the drawing or of the scene that stays in the middle, or "".
  follow(name) {
    this.followed = this.shapes.find((shape) => shape.shape.name === name) ?? this.record.bodies.find((body) => body.name === name) ?? null;
    this.last = this.followed && this.placeOf(this.followed);
    if (this.followed) this.pan(this.last.clone().sub(this.controls.target));
  }

  placeOf(shape) {
    if (!shape.node) {
      const place = new THREE.Vector3();
      placeOf(this.record, shape, place, new THREE.Quaternion());
      return place;
    }
    shape.node.updateWorldMatrix(true, true);
    return shape.frame.getWorldPosition(new THREE.Vector3());
  }

  pan(by) {
    this.moved = true;
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.controls.update();
  }

  // "cones", "forces" or "nothing".
  showContacts(what) {
    this.contactMarks.shown = what;
    this.show(this.record.time);
  }

  setForceFactor(factor) {
    this.forceFactor = factor;
    this.show(this.record.time);
  }

  show(time) {
    this.updateParts(time);
    if (this.followed) {
      const place = this.placeOf(this.followed);
      this.pan(place.clone().sub(this.last));
      this.last = place;
    }
    this.stale = true;
  }

  // Draws when something has changed. What is drawn roughly while it moves is drawn once more, with more pixels, when it stands.
  draw() {
    const stands = this.rough && !this.stale && this.renderer.getPixelRatio() === 1 && performance.now() - this.drawn > STILL;
    if (!this.stale && !stands) return false;
    if (this.rough && this.renderer.getPixelRatio() !== (stands ? 2 : 1)) this.renderer.setPixelRatio(stands ? 2 : 1);
    this.renderer.render(this.scene, this.camera);
    this.stale = false;
    this.drawn = performance.now();
    return true;
  }

  // Metres in a pixel, of a flat drawing.
  metresInPixel() {
    return (this.camera.right - this.camera.left) / this.camera.zoom / this.element.clientWidth;
  }
}
