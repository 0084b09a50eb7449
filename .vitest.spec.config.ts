import { defineConfig } from 'vitest/config';

// Tests that need a browser or many minutes. `npm test` does not run them.
// biome-ignore lint/style/noDefaultExport: this is how vitest takes its configuration.
export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
