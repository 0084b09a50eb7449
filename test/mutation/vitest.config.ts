import { defineConfig } from 'vitest/config';

/** What `main.mjs` passes. */
const { include, exclude } = JSON.parse(process.env['MUTATION_TESTS'] ?? '{}');

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    isolate: false,
    include,
    exclude,
    // A change that makes a call wait for ever is noticed after this time. The longest test takes 2 s.
    testTimeout: 8000,
  },
});
