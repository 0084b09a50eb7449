import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
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
  'bridges',
];

/** The long tests. Each is in the folder of its kind. docs/contributing.md says what is long. */
const long = 'test/**/*.long.test.ts';

/** All cases of what the gate takes a sample of, and what only the command line and the examples show. */
const full = 'test/**/*.full.test.ts';
const exclude = [...configDefaults.exclude, long, full];

const library = folders.map((folder) => `test/${folder}/**/*.test.ts`);

/** The folders of long tests, and the files beside them, that `npm run test:long` leaves to a suite: `npm run suite` lists them. */
const suites = {
  browser: 'test/browser',
  'all of browser': 'test/browser',
  site: 'test/site',
  compatibility: 'test/compatibility',
  fuzz: 'test/fuzz/full',
  faults: 'test/faults',
  growth: 'test/laws/growth',
  'transports behind proxies': 'test/remote/proxies',
  chats: 'test/chats',
};

/** What suites install before they begin. */
const setups: Readonly<Record<string, string>> = { chats: 'test/chats/install.ts' };

/** In memory the tests of the specification are part of the project `library`. */
const otherTransports = transportNames.filter((name) => name !== 'memory');

/** What does not depend on the transport, or is about one of them. */
const notOverOthers = ['test/conformance/gates/**', 'test/conformance/transports.test.ts'];

/** Later versions of Node have a compiler for this, and not the option. */
const optimizingLater = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [];

export default defineConfig({
  test: {
    setupFiles: ['property-seed', 'real-timers', 'started-programs'].map((name) => `test/support/${name}.ts`),
    // Files share the modules that a worker has loaded. Loading them took longer than most tests.
    isolate: false,
    // The gate starts vitest twice.
    experimental: { fsModuleCache: true },
    // Two more than there are cores: many tests wait for programs that they started, or for time limits.
    maxWorkers: availableParallelism() + 2,
    // Most code of a test runs a few times. To collect less often, and to optimize later, takes a fifth less of the processor.
    execArgv: ['--max-semi-space-size=64', '--always-sparkplug', ...optimizingLater],
    // Only for a test that hangs: programs and compilers take many seconds on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      {
        extends: true,
        test: { name: 'library', include: library, exclude },
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
        test: {
          name: 'long',
          include: [long],
          exclude: [
            ...configDefaults.exclude,
            ...Object.values(suites).flatMap((folder) => [`${folder}/**`, `${folder}.long.test.ts`]),
          ],
          globalSetup: 'test/package/pack.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'full',
          include: [full, ...library],
          exclude: [...configDefaults.exclude, long],
          provide: { runs: 'all' },
          globalSetup: 'test/package/pack.ts',
        },
      },
      ...Object.entries(suites).map(([name, folder]) => ({
        extends: true as const,
        // Each file has a process of its own, no more of them than there are cores: browsers, faults and measures need a core each.
        test: {
          name,
          include: [`${folder}.long.test.ts`, `${folder}/**/*.long.test.ts`],
          exclude: [...configDefaults.exclude, ...(name === 'browser' ? [`${folder}/full/**`] : [])],
          // Only the gate takes a sample.
          ...(name !== 'browser' && { provide: { runs: 'all' as const } }),
          isolate: true,
          maxWorkers: availableParallelism(),
          // Projects with another number of workers run before these, not beside them.
          sequence: { groupOrder: 1 },
          globalSetup: setups[name] ?? [],
        },
      })),
      ...otherTransports.map((transport) => ({
        extends: true as const,
        test: {
          name: `transports over ${transport}`,
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
