// One HTML file with everything in it: what `stickslip view` puts a record into.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: "es2020", chunkSizeWarningLimit: 2000 },
});
