// Pages of records in a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { STICKSLIP, STICKSLIP_SOURCE, STICKSLIP_VIEWER_DIR, CHROMIUM } = process.env;
const require = createRequire(join(STICKSLIP_VIEWER_DIR, "package.json"));
const { chromium } = require("playwright-core");

const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-gpu-compositing",
];

export const folder = mkdtempSync(join(tmpdir(), "stickslip-viewer-"));

export function stickslip(...words) {
  return execFileSync(STICKSLIP, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
}

// Runs a scene of the source tree, or one given as a text; returns the name of its record.
export function record(name, { text, words = [] } = {}) {
  const file = text ? join(folder, `${name}.yaml`) : join(STICKSLIP_SOURCE, "scenes", `${name}.yaml`);
  if (text) writeFileSync(file, text);
  stickslip("run", file, ...words, "--quiet", "--no-plots", "-o", join(folder, `${name}.h5`));
  return join(folder, `${name}.h5`);
}

export async function startBrowser() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export function clean() {
  rmSync(folder, { recursive: true, force: true });
}

// An empty page. faults: what it complained about, and whatever it wanted from a network.
export async function blank(browser, { width = 1280, height = 800, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (message) => {
    const slow = message.text().includes("GPU stall due to ReadPixels"); // of a browser without a graphics card
    if (["error", "warning"].includes(message.type()) && !slow) page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || page.faults.push(request.url()));
  return page;
}

// Opens the page of a record.
export async function open(browser, file, options = {}) {
  const html = stickslip("view", file).trim();
  const page = await blank(browser, options);
  await page.goto(`file://${html}${options.hash ?? ""}`);
  await page.waitForFunction(() => globalThis.stickslip?.frames !== 0);
  await page.waitForTimeout(150);
  return page;
}

// Opens the page, uses it, and finds nothing that it complained about.
export async function use(browser, file, options, body) {
  const page = await open(browser, file, options);
  await body(page);
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

// Seconds of processor time that this process's children, the browser's, have used so far. Other work on the machine does
// not count.
function processorTime() {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
        return [{ id: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
      } catch {
        return []; // it has ended
      }
    });
  let family = new Set([process.pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { id, parent } of processes) if (family.has(parent)) family.add(id);
  }
  family.delete(process.pid);
  return processes.reduce((sum, { id, ticks }) => sum + (family.has(id) ? ticks : 0), 0) / 100;
}

// Milliseconds of processor time that a frame takes, with everything that is drawn finished.
export async function frameTime(page, frames = 60) {
  const draw = (count) =>
    page.evaluate((n) => {
      const { stage, record: r } = stickslip;
      const gl = stage.renderer.getContext();
      for (let i = 0; i < n; i++) {
        stage.show((r.end * i) / n);
        stage.draw();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      }
    }, count);
  await draw(5);
  const before = processorTime();
  await draw(frames);
  return (1000 * (processorTime() - before)) / frames;
}

// What the page shows.
export const time = (page) => page.evaluate(() => stickslip.player.time);

// Other work on the machine makes it longer, never shorter: the least of several.
export async function leastFrameTime(page) {
  const times = [];
  for (let i = 0; i < 4; i++) times.push(await frameTime(page, 30));
  return Math.min(...times);
}
