// Pages as their readers meet them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clean, leastFrameTime, record, startBrowser, stickslip, time, use } from "./page.mjs";

let browser;
let woodpecker;

before(async () => {
  browser = await startBrowser();
  woodpecker = record("woodpecker", { words: ["--set", "simulation.end=0.3"] });
});

after(async () => {
  await browser.close();
  clean();
});

const using = (file, options, body) => use(browser, file, options, body);

test("shows scene, checks, parameters and version", () =>
  using(woodpecker, {}, async (page) => {
    assert.equal(await page.title(), "woodpecker – stickslip");
    assert.match(await page.locator("#subtitle").textContent(), /pecks its way down/);
    await page.getByRole("tab", { name: "Parameters" }).click();
    assert.match(await page.getByRole("tabpanel").textContent(), /l_S0\.0201/);
    await page.getByRole("tab", { name: "Scene" }).click();
    assert.match(await page.locator(".panel:visible pre").textContent(), /kinetic: /);
    await page.getByRole("tab", { name: "Run" }).click();
    assert.match(await page.getByRole("tabpanel").textContent(), new RegExp(stickslip("--version").trim().split(" ")[1]));
    await page.getByRole("tab", { name: "Checks" }).click();
    assert.equal(await page.locator(".panel:visible tr").count(), 1 + 3);
  }));

test("numbers of the page are those of the record", () =>
  using(woodpecker, {}, async (page) => {
    const names = ["t", "toy.y", "toy.phi_S'", "beak.gap.gap", "energy.kinetic", "solver.iterations"];
    stickslip("export", woodpecker, ...names, "-o", `${woodpecker}.csv`);
    const { readFileSync } = await import("node:fs");
    const lines = readFileSync(`${woodpecker}.csv`, "utf8").trim().split("\n").slice(1);
    const samples = await page.evaluate((wanted) => wanted.map((name) => Array.from(stickslip.record.samples(stickslip.record.byName.get(name)))), names);
    assert.equal(samples[0].length, lines.length);
    for (let row = 0; row < lines.length; row += 37) {
      const values = lines[row].split(",").map(Number);
      assert.equal(samples[0][row], values[0]);
      values.forEach((value, i) => assert.ok(Math.abs(samples[i][row] - value) <= 1e-7 * Math.abs(value), `${names[i]} in row ${row}`));
    }
  }));

test("lanes change their mode exactly at the switches", () =>
  using(woodpecker, {}, async (page) => {
    const wrong = await page.evaluate(() => {
      const { record } = stickslip;
      const ends = record.laws.map((law) => law.lane.map(([end]) => end));
      return record.events.filter(([t, law, constraint], i) => {
        const again = record.events.slice(i + 1).some((other) => other[0] === t && other[1] === law);
        const mode = record.mode(law, t - 1e-9);
        return !again && ((mode === 0) !== !!constraint || !ends[law].some((end) => Math.abs(end - (t - 1e-5)) < 1e-9));
      });
    });
    assert.deepEqual(wrong, []);
  }));

test("plays, pauses, goes faster", () =>
  using(woodpecker, {}, async (page) => {
    await page.locator("#play").click();
    await page.waitForFunction(() => stickslip.player.time > 0.005);
    await page.keyboard.press("Space");
    const stopped = await time(page);
    await page.waitForTimeout(200);
    assert.equal(await time(page), stopped);
    const speed = await page.evaluate(() => stickslip.player.speed);
    await page.keyboard.press("+");
    assert.ok((await page.evaluate(() => stickslip.player.speed)) > speed);
    await page.keyboard.press("l");
    assert.equal(await page.locator("#loop").getAttribute("aria-pressed"), "false");
  }));

test("goes round in a loop, or stops at the end", () =>
  using(woodpecker, {}, async (page) => {
    const play = async () => {
      await page.evaluate(() => {
        stickslip.player.set({ speed: 0.2 });
        stickslip.player.seek(stickslip.player.end - 0.005);
        stickslip.player.play(true);
      });
    };
    await play();
    await page.waitForFunction(() => stickslip.player.time < 0.1 && stickslip.player.playing);
    await page.keyboard.press("l");
    assert.equal(await page.locator("#loop").getAttribute("aria-pressed"), "false");
    await play();
    await page.waitForFunction(() => !stickslip.player.playing);
    assert.equal(await time(page), await page.evaluate(() => stickslip.player.end));
  }));

test("scrubs", () =>
  using(woodpecker, {}, async (page) => {
    const box = await page.locator("#slider").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await time(page)) - 0.15) < 0.002);
    await page.keyboard.press("End");
    assert.equal(await time(page), await page.evaluate(() => stickslip.record.end));
    assert.match(await page.locator("#clock").textContent(), /^0\.30000 s$/);
  }));

test("jumps to switches, from the list and by keys", () =>
  using(woodpecker, {}, async (page) => {
    const events = await page.evaluate(() => stickslip.record.events);
    await page.locator(".event").nth(3).click();
    assert.equal(await time(page), events[3][0]);
    assert.equal(await page.locator(".event.now").count(), 1);
    await page.keyboard.press("n");
    const next = events.find(([t]) => t > events[3][0]);
    assert.equal(await time(page), next[0]);
    await page.keyboard.press("p");
    assert.equal(await time(page), events[3][0]);
    await page.locator("#events select").selectOption({ label: "beak.gap" });
    const beak = await page.locator(".event .law").allTextContents();
    assert.ok(beak.length > 0 && beak.every((law) => law === "beak.gap"));
  }));

test("clicks and drags in a plot", () =>
  using(woodpecker, {}, async (page) => {
    const box = await page.locator(".u-over").first().boundingBox();
    await page.mouse.click(box.x + box.width / 3, box.y + 20);
    assert.ok(Math.abs((await time(page)) - 0.1) < 0.002);
    await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 30, { steps: 4 });
    await page.mouse.up();
    const shown = () => page.evaluate(() => [stickslip.window.from, stickslip.window.to]);
    const [from, to] = await shown();
    assert.ok(Math.abs(from - 0.06) < 0.002 && Math.abs(to - 0.12) < 0.002, `${from} … ${to}`);
    await page.locator(".u-over").first().dblclick();
    assert.deepEqual(await shown(), [0, await page.evaluate(() => stickslip.record.end)]);
  }));

test("plots any signal over any other", () =>
  using(woodpecker, {}, async (page) => {
    const own = page.locator("#own");
    await own.getByLabel("Add a signal").fill("toy.phi_M");
    await own.getByLabel("Add a signal").press("Enter");
    await own.locator(".u-over").waitFor();
    await own.getByLabel("Over").fill("toy.y");
    await own.getByLabel("Over").press("Enter");
    await own.locator(".here").waitFor();
    await own.locator(".chip").click();
    assert.equal(await own.locator(".uplot").count(), 0);
  }));

// The colour of the drawing where a shape is.
const colorAt = (page, name) =>
  page.evaluate((wanted) => {
    const { stage } = stickslip;
    const shape = stage.shapes.find((s) => s.shape.name === wanted);
    stage.stale = true;
    stage.draw();
    const place = stage.placeOf(shape).project(stage.camera);
    const { domElement } = stage.renderer;
    const gl = stage.renderer.getContext();
    const pixel = new Uint8Array(4);
    const [x, y] = [((place.x + 1) / 2) * domElement.width, ((place.y + 1) / 2) * domElement.height];
    gl.readPixels(Math.round(x), Math.round(y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return { x, y, color: [...pixel.slice(0, 3)] };
  }, name);

test("draws the bird where it is", () =>
  using(woodpecker, {}, async (page) => {
    const early = await colorAt(page, "head");
    assert.deepEqual(early.color, [0xc8, 0x32, 0x2b]);
    await page.keyboard.press("End");
    const late = await colorAt(page, "head");
    assert.deepEqual(late.color, [0xc8, 0x32, 0x2b]);
    const { y } = await page.evaluate(() => ({ y: stickslip.record.at(stickslip.record.byName.get("toy.y")) }));
    const metres = await page.evaluate(() => stickslip.stage.metresInPixel());
    assert.ok(y < -0.02 && late.y < early.y - 0.5 * (0.02 / metres));
  }));

test("follows a shape", () =>
  using(woodpecker, {}, async (page) => {
    await page.locator("#follow").selectOption("head");
    const middle = async () => {
      const { x, y } = await colorAt(page, "head");
      const size = await page.evaluate(() => [stickslip.stage.renderer.domElement.width / 2, ((1 - stickslip.stage.covered()) * stickslip.stage.renderer.domElement.height) / 2]);
      return Math.hypot(x - size[0], y - size[1]);
    };
    assert.ok((await middle()) < 2);
    await page.keyboard.press("End");
    assert.ok((await middle()) < 2);
  }));

test("licences of what a page has in it", () =>
  using(woodpecker, {}, async (page) => {
    const text = page.locator("#licences");
    assert.ok(!(await text.isVisible()));
    await page.getByRole("button", { name: "Licences" }).click();
    assert.ok(await text.isVisible());
    for (const part of [/three [\d.]+\n[^]*three\.js authors/, /uplot [\d.]+\n[^]*Leon Sorokin/]) assert.match(await text.textContent(), part);
    assert.doesNotMatch(await text.textContent(), /h5wasm/);
    await page.keyboard.press("Escape");
    assert.ok(!(await text.isVisible()));
  }));

test("light and dark", () =>
  using(woodpecker, { colorScheme: "dark" }, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await paper(), "rgb(20, 23, 26)");
    await page.keyboard.press("t");
    assert.equal(await paper(), "rgb(244, 244, 241)");
    assert.deepEqual((await colorAt(page, "head")).color, [0xc8, 0x32, 0x2b]);
  }));

test("fits a phone", () =>
  using(woodpecker, { width: 390, height: 844 }, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    for (const id of ["play", "slider", "speed", "loop", "stage"]) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, id);
    }
    await page.locator("#play").click();
    await page.waitForFunction(() => stickslip.player.time > 0.002);
  }));

const STIFF = `
name: stiff
systems:
  block: {type: planar_body, mass: 2.1, inertia: 0.018, position: [0, 0.05, 0]}
elements:
  left: {type: plane, system: block, point: [-0.15, -0.05], normal: [0, 1], laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}}
  right: {type: plane, system: block, point: [0.15, -0.05], normal: [0, 1], laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.3}}}
forces:
  load: {type: load, on: [x, y, phi], force: [6, -20, 0.5]}
solver: {type: sorprox, max_iterations: 2, tolerance: 1e-14}
simulation: {type: constant, step: 1e-3, end: 0.05, on_failure: warn, allow: [convergence]}
`;

test("failures of the solver are red, and a scene without a drawing has a page", () =>
  using(record("stiff", { text: STIFF }), {}, async (page) => {
    const note = page.locator("#solver .bad");
    assert.match(await note.textContent(), /^\d+ of 50 steps did not converge$/);
    assert.match(await page.locator("#verdict").textContent(), /failed solves, not trusted/);
    assert.equal(await page.locator("#stage canvas").count(), 0);
  }));

function manyBalls(count) {
  const lines = ["name: balls", "systems:"];
  for (let i = 0; i < count; i++) lines.push(`  b${i}: {type: point, dim: 3, mass: 1, position: [${Math.sin(i)}, ${1 + 0.01 * i}, ${Math.cos(1.7 * i)}]}`);
  lines.push("forces: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}");
  lines.push("simulation: {type: constant, step: 1e-2, end: 1}", "drawing:");
  for (let i = 0; i < count; i++) lines.push(`  s${i}: {shape: sphere, on: b${i}, radius: 0.05, color: blue}`);
  return lines.join("\n");
}

test("two hundred balls are drawn thirty times a second without a graphics card", () =>
  using(record("balls", { text: manyBalls(200) }), {}, async (page) => {
    const milliseconds = await leastFrameTime(page);
    assert.ok(milliseconds < 33, `${milliseconds} ms`);
  }));
