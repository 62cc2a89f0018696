import { defineConfig } from "vite";

// The studio's own server; HOOFBEAT_STUDIO names another one while the page is developed.
const server = "http://127.0.0.1:8765";

export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/hoofbeat/studio/static",
    emptyOutDir: true,
    target: "es2022",
    // A file that is inlined as data: would need a wider content policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": { target: server, ws: true } } },
});
