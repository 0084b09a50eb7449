import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** The tests of one folder of `test`. */
const folder = (name: string) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`] },
});

/** The tests of a folder whose files share the modules that a worker has loaded. Loading them took longer than the tests. */
const sharing = (name: string) => {
  const { extends: base, test } = folder(name);
  return { extends: base, test: { ...test, isolate: false } };
};

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    // One more than there are cores: many tests wait for programs that they started.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Only for a test that hangs: programs and compilers take many seconds on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      ...['unit', 'laws', 'conformance', 'oracle', 'peers', 'fuzz'].map(sharing),
      folder('process'),
      {
        extends: true,
        test: {
          name: 'package',
          isolate: false,
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
