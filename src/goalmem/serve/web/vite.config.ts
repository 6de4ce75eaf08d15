import { defineConfig } from "vite";

// Served by goalmem itself under a policy that allows no inline script or style and no other host, so nothing is inlined.
export default defineConfig({
  base: "/",
  build: {
    outDir: "dist",
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    target: "es2022",
    sourcemap: false,
    license: { fileName: "LICENSES.md" }, // of what is bundled
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8765", "/health": "http://127.0.0.1:8765" } },
});
