import { defineConfig } from 'vitest/config';

/** What `main.mjs` passes. */
const { include, exclude } = JSON.parse(process.env['MUTATION_TESTS'] ?? '{}');

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    isolate: false,
    include,
    exclude,
    testTimeout: 20_000,
  },
});
