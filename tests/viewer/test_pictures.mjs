// Pages as they looked when they were last looked at. The pictures are in pictures/; STICKSLIP_UPDATE=1 makes them anew. What
// is compared is the mean colour of blocks of 8 × 8 pixels: fonts and graphics may differ in their details.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { blank, clean, open, record, startBrowser } from "./page.mjs";

const PICTURES = join(dirname(fileURLToPath(import.meta.url)), "pictures");
const BLOCK = 8;
const NOTICEABLE = 24; // of 255, in any colour of a block
const MOST = 0.03; // of the blocks

let browser;
let files;

const BALLS = `
name: balls
systems:
  ball: {repeat: {i: 3, j: 3, k: 2}, type: body, position: [0.22*i, 0.22*j + 0.02*k, 0.12 + 0.23*k]}
  box: {type: body, position: [-0.4, 0.2, 0.16], rotation: [0, 0, 1, 0.4]}
shapes:
  floor: {type: plane}
  ball: {repeat: {i: 3, j: 3, k: 2}, type: sphere, radius: 0.1, on: "ball_{i}_{j}_{k}", density: 1000}
  box: {type: box, size: [0.3, 0.2, 0.3], on: box, density: 800, material: wood}
elements:
  contact: {type: contact, laws: {gap: {type: unilateral}, slip: {type: friction, mu: 0.4}}}
forces: {weight: {type: gravity, acceleration: [0, 0, -9.81]}}
simulation: {type: constant, step: 1e-3, end: 0.6}
record: {every: 10}
`;

before(async () => {
  browser = await startBrowser();
  files = { woodpecker: record("woodpecker", { words: ["--set", "simulation.end=0.3"] }), balls: record("balls", { text: BALLS }) };
});

after(async () => {
  await browser.close();
  clean();
});

// The share of blocks that differ.
const compare = (page, one, other) =>
  page.evaluate(
    async ([sources, block, noticeable]) => {
      const means = async (source) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const [columns, rows] = [Math.floor(image.width / block), Math.floor(image.height / block)];
        const sums = new Float64Array(3 * columns * rows);
        for (let y = 0; y < rows * block; y++)
          for (let x = 0; x < columns * block; x++)
            for (let k = 0; k < 3; k++) sums[3 * (Math.floor(y / block) * columns + Math.floor(x / block)) + k] += data[4 * (y * image.width + x) + k] / block ** 2;
        return { sums, size: `${image.width} × ${image.height}` };
      };
      const [a, b] = await Promise.all(sources.map(means));
      if (a.size !== b.size) return 1;
      let different = 0;
      for (let i = 0; i < a.sums.length; i += 3) different += [0, 1, 2].some((k) => Math.abs(a.sums[i + k] - b.sums[i + k]) > noticeable);
      return different / (a.sums.length / 3);
    },
    [[one, other], BLOCK, NOTICEABLE],
  );

async function check(name, shot) {
  const file = join(PICTURES, `${name}.png`);
  if (process.env.STICKSLIP_UPDATE) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(file, shot);
    return;
  }
  assert.ok(existsSync(file), `there is no ${file}; STICKSLIP_UPDATE=1 makes it`);
  const page = await blank(browser);
  const share = await compare(page, shot.toString("base64"), readFileSync(file).toString("base64"));
  await page.context().close();
  assert.ok(share < MOST, `${name}: ${(100 * share).toFixed(1)} % of the picture differ`);
}

const CASES = [
  ["woodpecker-1280", "woodpecker", { width: 1280, height: 800, hash: "#t=0.2" }],
  ["woodpecker-390", "woodpecker", { width: 390, height: 844, hash: "#t=0.2" }],
  ["woodpecker-dark", "woodpecker", { width: 1280, height: 800, colorScheme: "dark", hash: "#t=0.2" }],
  ["balls-1280", "balls", { width: 1280, height: 800, hash: "#t=0.3" }],
  ["balls-390", "balls", { width: 390, height: 844, hash: "#t=0.3" }],
];

for (const [name, what, options] of CASES)
  test(name, async () => {
    const page = await open(browser, files[what], options);
    await page.waitForTimeout(300);
    await check(name, await page.screenshot());
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

test("a picture of something else is told apart", async () => {
  const page = await open(browser, files.balls, { hash: "#t=0.3" });
  const one = await page.screenshot();
  await page.locator("#follow").selectOption("box");
  await page.keyboard.press("End");
  const other = await page.screenshot();
  assert.ok((await compare(page, one.toString("base64"), other.toString("base64"))) > MOST);
  await page.context().close();
});
