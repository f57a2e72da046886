// One HTML file with everything in it: what `stickslip view` puts a record into, or with PAGE=open one that reads records itself,
// which is larger. Both come from index.html.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const opener = {
  name: "opener",
  transformIndexHtml: { order: "pre", handler: (html) => (process.env.PAGE === "open" ? html.replace("/src/page.js", "/src/open.js") : html) },
};

export default defineConfig({
  plugins: [opener, viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 8000,
  },
});
