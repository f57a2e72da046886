// Pages of scenes with shapes: bodies, contacts, following, size and speed.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { clean, frameTime, leastFrameTime, record, startBrowser, stickslip, use } from "./page.mjs";

let browser;
let zoo;

before(async () => {
  browser = await startBrowser();
  zoo = record("zoo", { text: ZOO });
});

after(async () => {
  await browser.close();
  clean();
});

const using = (file, options, body) => use(browser, file, options, body);

const ZOO = `
name: zoo
systems:
  box: {type: body, position: [0, 0, 0.11]}
  capsule: {type: body, position: [0.6, 0, 0.3], rotation: [1, 0, 0, 1]}
  cylinder: {type: body, position: [-0.6, 0, 0.4], rotation: [1, 0.2, 0, 1.2]}
  ellipsoid: {type: body, position: [0, 0.6, 0.4]}
  ball: {type: body, position: [0.6, 0.6, 0.15], velocity: [1, 0, 0, 0, 0, 0]}
shapes:
  floor: {type: plane}
  box: {type: box, size: [0.4, 0.3, 0.2], on: box, density: 800, material: stone}
  capsule: {type: capsule, radius: 0.1, length: 0.3, on: capsule, density: 800}
  cylinder: {type: cylinder, radius: 0.15, length: 0.3, on: cylinder, density: 800}
  ellipsoid: {type: ellipsoid, axes: [0.2, 0.12, 0.1], on: ellipsoid, density: 800}
  ball: {type: sphere, radius: 0.15, on: ball, density: 800, at: [0, 0, 0]}
  wall: {type: box, size: [2, 0.05, 0.4], at: [0, 1.1, 0.2]}
elements:
  contact:
    type: contact
    laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
simulation: {type: constant, step: 1e-3, end: 0.5}
`;

test("every shape of the scene is drawn, without a section drawing", () =>
  using(zoo, {}, async (page) => {
    const kinds = await page.evaluate(() => stickslip.stage.parts.map((part) => part.constructor.name.replace(/\d+$/, "").length > 0 && (part.shapes ?? part.bodies ?? [part.body ?? part]).length));
    assert.equal(kinds.reduce((sum, n) => sum + n, 0), 7 + 1); // seven shapes and the contacts
    assert.match(await page.locator("#follow").textContent(), /nothing.*box.*capsule.*cylinder.*ellipsoid.*ball/);
  }));

// The ball slides at first: mu m g against its way, and slower and slower until it rolls at 2 v0/(7 mu g) = 0.097 s.
test("contacts have points, forces and modes", () =>
  using(zoo, {}, async (page) => {
    const contacts = (time) =>
      page.evaluate((t) => {
        const { record, stage } = stickslip;
        stage.show(t);
        const { contacts } = record;
        const frame = contacts.frameAt(t);
        const contact = { point: stage.center.clone(), force: stage.center.clone(), normal: stage.center.clone() };
        const list = [];
        for (let i = 0; i < contacts.count(frame); i++) {
          const { point, force, normal, mode, friction } = contacts.get(frame, i, contact);
          list.push({ x: point.toArray(), F: force.toArray(), n: normal.toArray(), mode, friction });
        }
        return list;
      }, time);
    const ball = (list) => list.find(({ x }) => x[0] > 0.55 && Math.abs(x[1] - 0.6) < 0.05);
    const weight = 800 * (4 / 3) * Math.PI * 0.15 ** 3 * 9.81;
    const near = (a, b, share) => assert.ok(Math.abs(a - b) <= share * Math.abs(b), `${a} is not ${b}`);
    const slides = ball(await contacts(0.05));
    assert.equal(slides.mode, 2);
    near(slides.friction, 0.3, 1e-6);
    near(slides.F[2], weight, 2e-3);
    near(slides.F[0], -0.3 * weight, 2e-3);
    near(slides.n[2], 1, 1e-6);
    const rolls = ball(await contacts(0.3));
    assert.equal(rolls.mode, 1);
    near(rolls.F[2], weight, 2e-3);
    assert.ok(Math.abs(rolls.F[0]) < 1e-3 * weight);
  }));

test("arrows end where forces say, and cones where sliding begins", () =>
  using(zoo, {}, async (page) => {
    await page.evaluate(() => stickslip.player.seek(0.05));
    const counts = () => page.evaluate(() => ["arrows", "cones"].map((name) => stickslip.stage.contactMarks[name].count));
    const [arrows, cones] = await counts();
    assert.ok(arrows >= 5 && cones >= 5, `${arrows} ${cones}`);
    await page.locator("#contact-display").selectOption("forces");
    assert.deepEqual(await counts(), [arrows, 0]);
    await page.locator("#contact-display").selectOption("nothing");
    assert.deepEqual(await counts(), [0, 0]);
  }));

// Colours in the picture at shares of the longest arrow, of 3 × 3 pixels each: a shaft is thin, and its edges are smoothed.
const alongArrow = (page, shares) =>
  page.evaluate((list) => {
    const { stage } = stickslip;
    const { arrows } = stage.contactMarks;
    const at = (attribute, i) => stage.center.clone().fromBufferAttribute(attribute, 4 * i);
    const longest = [...Array(arrows.count).keys()].reduce((best, i) => (at(arrows.axis, i).length() > at(arrows.axis, best).length() ? i : best), 0);
    stage.stale = true;
    stage.draw();
    const gl = stage.renderer.getContext();
    return list.map((share) => {
      const place = at(arrows.position, longest).addScaledVector(at(arrows.axis, longest), share).project(stage.camera);
      const pixels = new Uint8Array(4 * 9);
      gl.readPixels(Math.floor(((place.x + 1) / 2) * gl.drawingBufferWidth) - 1, Math.floor(((place.y + 1) / 2) * gl.drawingBufferHeight) - 1, 3, 3, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return Array.from({ length: 9 }, (_, i) => [...pixels.slice(4 * i, 4 * i + 3)]);
    });
  }, shares);

test("an arrow has the colour of its mode from its foot to its tip", () =>
  using(zoo, {}, async (page) => {
    await page.evaluate(() => stickslip.player.seek(0.3));
    await page.locator("#contact-display").selectOption("forces");
    const [foot, middle, tip, beyond] = await alongArrow(page, [0, 0.5, 0.9, 1.4]);
    const has = (pixels, tone) => pixels.some((pixel) => pixel.every((part, i) => Math.abs(part - tone[i]) < 24));
    const tone = [[0x2f, 0x8a, 0x4c], [0xd9, 0x73, 0x0d]].find((wanted) => has(foot, wanted));
    assert.ok(tone, String(foot));
    assert.ok(has(middle, tone) && has(tip, tone), `${middle} and ${tip}`);
    assert.ok(!has(beyond, tone), String(beyond));
  }));

test("the camera goes round with the mouse, comes nearer with the wheel, and back with F", () =>
  using(zoo, {}, async (page) => {
    const camera = () => page.evaluate(() => [stickslip.stage.camera.position.toArray(), stickslip.stage.camera.position.distanceTo(stickslip.stage.controls.target)]);
    const box = await page.locator("#stage canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const [first, distance] = await camera();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 20, { steps: 5 });
    await page.mouse.up();
    const [turned, same] = await camera();
    assert.ok(Math.hypot(...turned.map((c, i) => c - first[i])) > 0.2 * distance);
    assert.ok(Math.abs(same - distance) < 1e-6 * distance);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(200);
    assert.ok((await camera())[1] < 0.95 * distance);
    await page.keyboard.press("f");
    (await camera())[0].forEach((c, i) => assert.ok(Math.abs(c - first[i]) < 1e-6 * distance));
  }));

test("follows a body", () =>
  using(zoo, {}, async (page) => {
    await page.locator("#follow").selectOption("ball");
    const off = () =>
      page.evaluate(() => {
        const { stage, record } = stickslip;
        const body = record.bodies.find(({ name }) => name === "ball");
        const place = stage.placeOf(body);
        return { x: place.x, off: place.distanceTo(stage.controls.target) };
      });
    const early = await off();
    await page.keyboard.press("End");
    const late = await off();
    assert.ok(late.x > early.x + 0.3);
    assert.ok(early.off < 1e-6 && late.off < 1e-6);
  }));

const heap = (n, layers, words) => `
name: heap
systems:
  ball: {repeat: {i: ${n}, j: ${n}, k: ${layers}}, type: body, position: [0.24*i + 0.01*sin(7*k + j), 0.24*j + 0.01*cos(5*k + i), 0.11 + 0.24*k]}
shapes:
  floor: {type: plane}
  ball: {repeat: {i: ${n}, j: ${n}, k: ${layers}}, type: sphere, radius: 0.1, on: "ball_{i}_{j}_{k}", density: 1000}
elements:
  contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.5}}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
solver: {type: sorprox, tolerance: 1e-3}
${words}
`;

// A heap in a bin, closely packed: each body contacts several others.
const packed = (shape) => `
name: packed
systems:
  body: {repeat: {i: 6, j: 6, k: 6}, type: body, position: [0.021*i + 0.0005*sin(7*k + j), 0.021*j + 0.0005*sin(5*k + i), 0.012 + 0.021*k]}
shapes:
  floor: {type: plane}
  left: {type: plane, at: [-0.0105, 0, 0], rotation: [0, 1, 0, 1.5707963]}
  right: {type: plane, at: [0.1165, 0, 0], rotation: [0, 1, 0, -1.5707963]}
  front: {type: plane, at: [0, -0.0105, 0], rotation: [1, 0, 0, -1.5707963]}
  back: {type: plane, at: [0, 0.1165, 0], rotation: [1, 0, 0, 1.5707963]}
  body: {repeat: {i: 6, j: 6, k: 6}, ${shape}, on: "body_{i}_{j}_{k}", density: 2500}
elements:
  contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.4}}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
solver: {type: sorprox, tolerance: 1e-2}
scheme: {type: moreau_stabilized}
simulation: {type: constant, step: 2e-3, end: 0.3}
record: {every: 5}
`;

for (const [name, shape] of [["balls", "type: sphere, radius: 0.01"], ["boxes", "type: box, size: [0.016, 0.016, 0.016]"]])
  test(`two hundred ${name}, their forces and cones are drawn thirty times a second without a graphics card`, () =>
    using(record(`packed-${name}`, { text: packed(shape) }), {}, async (page) => {
      await page.locator("#contact-display").selectOption("cones");
      await page.evaluate(() => stickslip.player.seek(stickslip.record.end));
      assert.ok(await page.evaluate(() => stickslip.stage.contactMarks.arrows.count > 400 && stickslip.stage.contactMarks.cones.count > 300));
      const milliseconds = await leastFrameTime(page);
      assert.ok(milliseconds < 33, `${milliseconds} ms`);
    }));

// Ten seconds: more states than balls at rest would need, so that they fill the page.
test("the page of a thousand balls has less than 20 MB, keeps the times of switches, and moves", () => {
  const words = "simulation: {type: constant, step: 2e-2, end: 10}\nrecord: {every: 1, contacts_every: 5}";
  const file = record("thousand", { text: heap(10, 10, words) });
  return using(file, {}, async (page) => {
    const size = statSync(file.replace(/h5$/, "html")).size;
    assert.ok(size < 20e6, `${size} bytes`);
    const events = stickslip("info", file, "--events").trim().split("\n").map((line) => Number(line.split("\t")[0]));
    assert.deepEqual(await page.evaluate(() => stickslip.record.events.map(([t]) => t)), events.filter(Number.isFinite));
    const milliseconds = await frameTime(page);
    assert.ok(milliseconds < 100, `${milliseconds} ms`);
  });
});
