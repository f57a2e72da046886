// One HTML file with everything in it: what `stickslip view` puts a record into, or with PAGE=open one that reads records itself,
// which is larger. Both come from index.html.
import { readFileSync } from "node:fs";

import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const opener = {
  name: "opener",
  transformIndexHtml: { order: "pre", handler: (html) => (process.env.PAGE === "open" ? html.replace("/src/page.js", "/src/open.js") : html) },
};

// Licences of the packages whose code a page has in it. That of h5wasm has HDF5's, too.
const embedded = [["three", "LICENSE"], ["uplot", "LICENSE"], ...(process.env.PAGE === "open" ? [["h5wasm", "LICENSE.txt"]] : [])];

function licence([name, file]) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const text = readFileSync(`node_modules/${name}/${file}`, "utf8").trim();
  return `${name} ${version}\n\n${text}\n`.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const licences = {
  name: "licences",
  transformIndexHtml: { order: "pre", handler: (html) => html.replace("<!-- licences -->", () => embedded.map(licence).join("\n\n")) },
};

export default defineConfig({
  plugins: [opener, licences, viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 8000,
  },
});
