import { defineConfig } from 'vitest/config';

// What `npm test` does not run: it needs a browser, or the network.
// biome-ignore lint/style/noDefaultExport: this is how vitest takes its configuration.
export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
