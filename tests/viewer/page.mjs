// Pages of records in a browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

// Opens the page of a record. faults: what the page complained about, and whatever it wanted from a network.
export async function open(browser, file, { width = 1280, height = 800, colorScheme = "light", hash = "" } = {}) {
  const html = stickslip("view", file).trim();
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (message) => {
    const slow = message.text().includes("GPU stall due to ReadPixels"); // of a browser without a graphics card
    if (["error", "warning"].includes(message.type()) && !slow) page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || page.faults.push(request.url()));
  await page.goto(`file://${html}${hash}`);
  await page.waitForFunction(() => globalThis.stickslip?.frames !== 0);
  await page.waitForTimeout(150);
  return page;
}

// What the page shows.
export const time = (page) => page.evaluate(() => stickslip.player.time);
