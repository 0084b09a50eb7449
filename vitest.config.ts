import { defineConfig } from 'vitest/config';

/** The tests of one folder of `test`. */
const folder = (name: string) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`] },
});

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    // The default leaves one core to the main process, which is half of a machine with two.
    maxWorkers: '100%',
    // Only for a test that hangs: programs and compilers take many seconds on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      ...['unit', 'laws', 'conformance', 'oracle', 'process', 'peers', 'fuzz'].map(folder),
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: 'test/package/pack.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/*.test-d.ts'],
            tsconfig: 'test/types/tsconfig.json',
          },
        },
      },
    ],
  },
});
