// Two HTML files with everything in them: index.html, what `stickslip view` puts a record into, and open.html, which reads
// records itself. ENTRY says which.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 8000,
    emptyOutDir: false,
    rollupOptions: { input: process.env.ENTRY ?? "index.html" },
  },
});
