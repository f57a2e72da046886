// Modules of the viewer that need no page.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

// As the build has them, beside the package.json that says they are modules.
const load = (name) => import(pathToFileURL(join(process.env.STICKSLIP_VIEWER_DIR, "src", name)));
const { Record } = await load("record.js");
const { lastAtOrBelow } = await load("search.js");
const { Player, naturalSpeed } = await load("player.js");
const outline = await load("outline.js");
const format = await load("format.js");

function buffer(t, ...curves) {
  const bytes = new ArrayBuffer(8 * t.length + 4 * t.length * curves.length);
  new Float64Array(bytes, 0, t.length).set(t);
  curves.forEach((curve, i) => new Float32Array(bytes, 8 * t.length + 4 * t.length * i, t.length).set(curve));
  return bytes;
}

const data = {
  rows: 3,
  signals: [{ name: "t", curve: 0 }, { name: "x", curve: 1 }, { name: "k", value: 7 }],
  laws: [{ name: "a.gap", lane: [[1, 1], [2, 0], [4, -1]] }],
  events: [[1, 0, 1, 0.5], [1, 0, 0, 0], [2, 0, 0, 0]],
};
const record = new Record(data, buffer([0, 1, 4], [0, 1, 4], [10, 20, -10]));

test("numbers between states are interpolated", () => {
  record.seek(0.25);
  assert.equal(record.at(1), 12.5);
  record.seek(2.5);
  assert.equal(record.at(1), 5);
  assert.equal(record.number({ s: 1 }), 5);
  assert.equal(record.number(3), 3);
  assert.equal(record.at(2), 7);
});

test("before the start and behind the end there is the nearest state", () => {
  record.seek(-5);
  assert.equal(record.at(1), 10);
  record.seek(99);
  assert.equal(record.at(1), -10);
});

test("a mode holds up to the end of its stretch", () => {
  assert.equal(record.mode(0, 0.5), 1);
  assert.equal(record.mode(0, 1.5), 0);
  assert.equal(record.mode(0, 3), -1);
  assert.equal(record.mode(0, 99), -1);
});

test("the last event at a time", () => {
  assert.equal(record.eventAt(0.9), -1);
  assert.equal(record.eventAt(1), 1);
  assert.equal(record.eventAt(10), 2);
});

test("binary search agrees with a walk", () => {
  const values = [1, 1, 2, 3, 3, 3, 8];
  for (let x = 0; x < 10; x += 0.5) {
    const walk = values.reduce((last, v, i) => (v <= x ? i : last), -1);
    assert.equal(lastAtOrBelow(values.length, (i) => values[i], x), walk);
  }
});

test("the clock runs at its speed, goes round, and stops when it may not", () => {
  const player = new Player(0, 10);
  player.set({ speed: 2 });
  player.play(true);
  player.tick(1000);
  player.tick(1050);
  assert.ok(Math.abs(player.time - 0.1) < 1e-12);
  player.seek(9.99);
  player.tick(1100);
  assert.equal(player.time, 0);
  player.set({ loop: false });
  player.seek(9.99);
  player.tick(1150);
  assert.equal(player.time, 10);
  assert.equal(player.playing, false);
});

test("a run takes about eight seconds", () => {
  assert.equal(naturalSpeed(8), 1);
  for (const duration of [1e-3, 0.5, 60, 1000]) {
    const seconds = duration / naturalSpeed(duration);
    assert.ok(seconds > 4 && seconds < 16, `${duration} s take ${seconds} s`);
  }
});

test("a spring ends at its points and is as wide as it should be", () => {
  const points = outline.spring([0, 0, 0], [2, 0, 0], 0.3, 5);
  assert.deepEqual(points[0], [0, 0, 0]);
  assert.deepEqual(points.at(-1), [2, 0, 0]);
  assert.equal(Math.max(...points.map((p) => p[1])), 0.3);
  assert.equal(Math.min(...points.map((p) => p[1])), -0.3);
});

test("hatching lies on the right-hand side", () => {
  for (const [, y] of outline.hatch([[0, 0, 0], [1, 0, 0]], 0.1)) assert.ok(y <= 0);
});

test("numbers for people", () => {
  assert.equal(format.number(0), "0");
  assert.equal(format.number(-1.5), "−1.5");
  assert.equal(format.number(123456789), "1.235e8");
  assert.equal(format.number(1.5e-9, 3), "1.5e−9");
  assert.equal(format.number(null), "–");
});

const { compile } = await load("formula.js");
const value = (text, names = {}) => {
  const formula = compile(text, (name) => names[name]);
  return typeof formula === "number" ? formula : formula(3);
};

test("formulas bind as scenes write them", () => {
  const cases = [
    ["1 + 2*3", 7],
    ["-2^2", -4],
    ["2^-1", 0.5],
    ["2^3^2", 512],
    ["10 - 4 - 3", 3],
    ["12/4/3", 1],
    [".5e1 + 2.", 7],
    ["!0 + !3", 1],
    ["1 < 2 && 2 >= 3 || 4 != 5", 1],
    ["0 ? 1 : 2 > 1 ? 3 : 4", 3],
    ["step(0) + step(-1)", 1],
    ["sign(-2)*max(1, 4) + min(2, 3)", -2],
    ["hypot(3, 4) + atan2(0, 1) + pow(2, 3)", 13],
    ["floor(2.7) + ceil(2.2)", 5],
    ["2*pi > 6.28 && inf > 1e300", 1],
    ["+a.x' - a.x", 3],
    ["μ*n", 8],
    ["e0 + 1e0", 6],
  ];
  const names = { "a.x'": (state) => 2 * state, "a.x": (state) => state, μ: 2, n: 4, e0: 5 };
  for (const [text, expected] of cases) assert.equal(value(text, names), expected, text);
});

test("what is no formula is refused", () => {
  for (const text of ["", "1 +", "2 x", "(1", "f(1)", "sin(1, 2)", "max(1)", "1 ? 2", "$", "nobody", "toString(1)", "constructor"]) assert.throws(() => compile(text, () => undefined), Error, text);
});

const { mergeLane } = await load("mergelane.js");

test("a step that ends with a switch is wholly in the new mode", () => {
  const lane = mergeLane([[2, 0, 1], [4, 0, 0]], [0, 1, 2, 3, 4], [0, 1, 1, 1, 1], [1, 1, 0, 0, -1]);
  assert.deepEqual(lane, [[1, 1], [3, 0], [4, -1]]);
});

const { measure } = await load("measure.js");

test("expectations are measured as stickslip verify does", () => {
  const curves = { t: [0, 1, 2, 4], x: [5, 7, 3, -1] };
  const events = [[1, 0, 1, 0], [1.5, 0, 0, 0], [2, 0, 1, 0], [3, 0, 0, 0]];
  const get = (expectation) => measure({ over: "moment", order: [], ...expectation }, { events, curve: (name) => curves[name] });
  assert.equal(get({ value: "x" }), -1);
  assert.equal(get({ value: "x", at: 0.5 }), 6);
  assert.equal(get({ value: "x", at: -1 }), 5);
  assert.equal(get({ value: "x", over: "least" }), -1);
  assert.equal(get({ value: "x", over: "largest" }), 7);
  assert.equal(get({ value: "t", event: [0, 1, 2] }), 2);
  assert.equal(get({ value: "t", event: [0, 1, 2], since: [0, 0, 1] }), 0.5);
  assert.equal(get({ value: "t", event: [0, 1, 3] }), NaN);
  assert.equal(get({ order: [[0, 1], [0, 0]] }), 0);
  assert.equal(get({ order: [[0, 0], [0, 0]] }), 1);
  assert.equal(get({ order: [[1, 0]] }), NaN);
});
