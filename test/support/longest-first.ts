import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than fifteen seconds, about the longest first. */
const longest: readonly string[] = [
  'test/fuzz/worst-case-lines.test.ts',
  'test/fuzz/worst-case.test.ts',
  'test/process/cli/commands.test.ts',
  'test/process/faults/matrix.test.ts',
  'test/process/cli/exit-codes.test.ts',
  'test/process/node/memory.test.ts',
  'test/process/node/probe-login.test.ts',
  'test/process/node/hostile-agents.test.ts',
  'test/process/cli/doctor.test.ts',
  'test/package/vscode-example.test.ts',
  'test/package/neovim-example.test.ts',
  'test/package/consumers.test.ts',
  'test/package/api.test.ts',
  'test/package/type-errors.test.ts',
  'test/package/release.test.ts',
  'test/process/node/parent-exit.test.ts',
  'test/laws/growth.test.ts',
  'test/oracle/received.test.ts',
  'test/oracle/readable.test.ts',
  'test/oracle/scripts.test.ts',
  'test/package/lint.test.ts',
  'test/process/node/long-line.test.ts',
  'test/process/node/login-shell.test.ts',
  'test/process/node/hostile-shells.test.ts',
  'test/process/demo/turns.test.ts',
  'test/conformance/gates/requests.test.ts',
];

/**
 * Starts the longest files first, so that no core is idle while the last of them runs. By itself vitest knows the times
 * only of files that it has run before.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return place === -1 ? longest.length : place;
    };
    const sorted = await super.sort(specifications);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
