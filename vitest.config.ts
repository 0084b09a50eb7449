import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { transportNames } from './test/support/transports/names.ts';

const folders = [
  'unit',
  'laws',
  'conformance',
  'oracle',
  'peers',
  'fuzz',
  'process',
  'compatibility',
  'remote',
];

/** The long tests, which `npm run test:long` runs. Each is in the folder of its kind. docs/contributing.md says what is long. */
const long = 'test/**/*.long.test.ts';
const exclude = [...configDefaults.exclude, long];

/** In memory the tests of the specification are part of the project `library`. */
const otherTransports = transportNames.filter((name) => name !== 'memory');

/** What does not depend on the transport, or is about one of them. */
const notOverOthers = ['test/conformance/gates/**', 'test/conformance/transports.test.ts'];

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    // Files share the modules that a worker has loaded. Loading them took longer than most tests.
    isolate: false,
    // Two more than there are cores: many tests wait for programs that they started, or for time limits.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Only for a test that hangs: programs and compilers take many seconds on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      {
        extends: true,
        test: { name: 'library', include: folders.map((folder) => `test/${folder}/**/*.test.ts`), exclude },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          exclude,
          globalSetup: 'test/package/pack.ts',
        },
      },
      {
        extends: true,
        test: { name: 'long', include: [long], globalSetup: 'test/package/pack.ts' },
      },
      ...otherTransports.map((transport) => ({
        extends: true as const,
        test: {
          name: `long over ${transport}`,
          include: ['test/conformance/**/*.test.ts'],
          exclude: [...exclude, ...notOverOthers],
          provide: { transport },
        },
      })),
      {
        extends: true,
        test: {
          name: 'types',
          typecheck: {
            enabled: true,
            only: true,
            checker: 'node_modules/typescript-native/bin/tsc',
            include: ['test/types/*.test-d.ts'],
            tsconfig: 'test/types/tsconfig.json',
          },
        },
      },
    ],
  },
});
