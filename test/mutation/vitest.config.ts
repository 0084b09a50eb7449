import { readFileSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import type { Work } from './runner.ts';

const { include, exclude }: Work = JSON.parse(readFileSync(process.env['MUTATION_WORK'] ?? '', 'utf8'));

/** In the order of the globs: each file that notices a change spares the files after it. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId).replaceAll('\\', '/');
      return include.findIndex((glob) => matchesGlob(path, glob));
    };
    return files.toSorted(
      (left, right) => rank(left) - rank(right) || left.moduleId.localeCompare(right.moduleId),
    );
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    ...(process.env['MUTATION_STATIC'] === undefined && { runner: './test/mutation/runner.ts' }),
    isolate: false,
    maxWorkers: 1,
    // A change is made for one test at a time.
    maxConcurrency: 1,
    // The sources are transformed once, not again in each process.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.vitest-modules' },
    include: [...include],
    exclude: [...exclude],
    sequence: { sequencer: InOrder },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
