// A page that opens records itself shows what the page of `stickslip view` shows.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blank, clean, folder, open, record, startBrowser, stickslip } from "./page.mjs";

let browser;

before(async () => (browser = await startBrowser()));

after(async () => {
  await browser.close();
  clean();
});

// Drops a file on the page, as a hand would.
async function drop(page, file) {
  const bytes = readFileSync(file).toString("base64");
  await page.evaluate(
    async ([name, data]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
      dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
    },
    [file.split("/").pop(), bytes],
  );
}

async function opener(options) {
  const html = join(folder, stickslip("view").trim());
  const page = await blank(browser, options);
  await page.goto(`file://${html}`);
  return page;
}

// Everything both pages know alike.
const facts = (page) =>
  page.evaluate(() => {
    const { record: r } = stickslip;
    r.seek(0.2);
    return JSON.parse(
      JSON.stringify({
        signals: r.signals.map(({ name, unit }) => [name, unit]).filter(([, unit]) => unit !== undefined),
        now: r.signals.map((_, i) => r.at(i)).slice(0, 12),
        events: r.events.map(([t, law, constraint, P]) => [t, law, constraint, Math.fround(P)]),
        lanes: r.laws.map((law) => law.lane.map(([end, mode]) => [Number(end.toFixed(9)), mode])),
        title: [r.name, r.description, r.version, r.scene, r.finished, r.states, r.rows],
        plots: r.plots.map((plot) => ({ ...plot, x: r.signals[plot.x].name, y: plot.y.map((index) => r.signals[index].name) })),
        checks: r.expectations.map((check) => ({ ...check, measured: Number(check.measured?.toPrecision(9)) })),
        drawing: [0, 0.5, 1].map((share) => {
          r.seek(r.start + share * (r.end - r.start));
          const now = (value) => (typeof value === "object" ? ("s" in value ? Number(r.number(value).toPrecision(5)) : Array.isArray(value) ? value.map(now) : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, now(item)]))) : typeof value === "number" ? Number(value.toPrecision(5)) : value);
          return r.shapes.map(now);
        }),
        curves: r.plots.flatMap(({ x, y }) => [x, ...y]).map((index) => Array.from(r.samples(index), (value) => Number(value.toPrecision(5))).filter((_, i) => i % 97 === 0)),
        shown: [...document.querySelectorAll("#cards h2")].map((head) => head.textContent),
        verdict: document.querySelector("#verdict").textContent,
        parameters: r.parameters,
        statistics: r.statistics,
        bodies: r.bodies.map(({ name, type, radius, carrier }) => [name, type, radius, carrier && Object.keys(carrier)]),
        contacts: r.contacts && [r.contacts.times.length, r.contacts.most, r.contacts.friction],
      }),
    );
  });

const BALL = `
name: ball
systems:
  ball: {type: body, position: [0, 0, 0.2], velocity: [1, 0, 0, 0, 0, 0]}
shapes:
  floor: {type: plane}
  ball: {type: sphere, radius: 0.1, on: ball, density: 1000}
  bat: {type: box, size: [0.1, 1, 1], at: [1, 0, 0.5]}
elements:
  contact: {type: contact, laws: {gap: {type: unilateral, restitution: 0.5}, slip: {type: friction, mu: 0.3}}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
simulation: {type: constant, step: 1e-3, end: 0.4}
`;

const SCENES = [
  ["woodpecker", { words: ["--set", "simulation.end=0.3"] }],
  ["ball", { text: BALL }],
  ["prestressed_spring"],
  ["train2"],
  ["motorbike", { words: ["--set", "simulation.end=0.3"] }],
  ["falling_mass_augmented"],
  ["closed_box", { words: ["--set", "simulation.end=0.2"] }],
];

for (const [name, options] of SCENES)
  test(`${name}, dropped on a page`, async () => {
    const file = record(name, options);
    const made = await open(browser, file);
    const page = await opener();
    assert.match(await page.textContent("body"), /Drop a record here/);
    await drop(page, file);
    await page.waitForFunction(() => globalThis.stickslip);
    assert.deepEqual(await facts(page), await facts(made));
    await page.locator("#play").click();
    await page.waitForFunction(() => stickslip.player.time > 0.003);
    assert.deepEqual(page.faults, []);
    await page.context().close();
    await made.context().close();
  });

test("a second record takes the place of the first", async () => {
  const page = await opener();
  await drop(page, record("ball", { text: BALL }));
  await page.waitForFunction(() => globalThis.stickslip?.record.name === "ball");
  await drop(page, record("bar"));
  await page.waitForFunction(() => stickslip.record.name === "bar on two bearings");
  assert.match(await page.title(), /bar/);
  for (const part of ["three.js authors", "Leon Sorokin", "NIST-developed software", "The HDF Group"]) assert.ok((await page.content()).includes(part), part);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.keyboard.press("t");
  assert.notEqual(await theme(), before);
  await page.keyboard.press("End");
  assert.equal(await page.evaluate(() => stickslip.player.time), await page.evaluate(() => stickslip.record.end));
  assert.equal(await page.locator("#stage canvas").count(), 1);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a file that is no record is refused with words", async () => {
  const page = await opener({ width: 390, height: 844 });
  const file = join(folder, "no.h5");
  writeFileSync(file, "nothing");
  await drop(page, file);
  await page.waitForFunction(() => document.querySelector("#open-note").className === "bad");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.context().close();
});
