import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take more than fifteen seconds on a busy machine, about the longest first: by the CPU time of the file with
 * the programs that it starts, or by its time alone where it mostly waits.
 */
const longest: readonly string[] = [
  'test/unit/tools/attacks/slow.long.test.ts',
  'test/process/faults/matrix.long.test.ts',
  'test/process/cli/commands.long.test.ts',
  'test/process/node/memory.long.test.ts',
  'test/process/cli/exit-codes.long.test.ts',
  'test/process/node/hostile-agents.long.test.ts',
  'test/process/node/probe-login.long.test.ts',
  'test/fuzz/worst-case.long.test.ts',
  'test/process/cli/doctor.long.test.ts',
  'test/process/node/parent-exit.long.test.ts',
  'test/fuzz/worst-case-lines.long.test.ts',
  'test/package/api.test.ts',
  'test/package/docs/code.test.ts',
  'test/package/lint.test.ts',
  'test/oracle/readable.long.test.ts',
  'test/oracle/received.long.test.ts',
  'test/package/optional-inputs.long.test.ts',
  'test/package/consumers.long.test.ts',
  'test/package/vscode-example.long.test.ts',
  'test/package/neovim-example.long.test.ts',
  'test/laws/growth.long.test.ts',
  'test/conformance/gates/requests.long.test.ts',
  'test/process/node/spawn.test.ts',
  'test/process/demo/requests.long.test.ts',
  'test/process/node/terminals.test.ts',
  'test/package/listeners.test.ts',
  'test/process/cli/agents.long.test.ts',
  'test/process/demo/turns.long.test.ts',
  'test/process/cli/chat.long.test.ts',
  'test/package/docs/vscode-guide.long.test.ts',
  'test/package/docs/getting-started.long.test.ts',
  'test/package/release.long.test.ts',
  'test/unit/tools/attacks/floods.long.test.ts',
  'test/process/node/live-processes.test.ts',
  'test/package/docs/migration.test.ts',
  'test/laws/fold.test.ts',
  'test/laws/recording.test.ts',
  'test/package/docs/traces.long.test.ts',
  'test/process/node/hostile-shells.test.ts',
  'test/process/node/long-line.test.ts',
  'test/oracle/scripts.test.ts',
  'test/process/node/login-shell.test.ts',
  'test/package/type-errors.test.ts',
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
