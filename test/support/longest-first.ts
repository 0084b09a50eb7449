import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than ten seconds on two cores with the other tests beside them, about the longest first. */
const longest: readonly string[] = [
  'test/package/regular-expressions.long.test.ts',
  'test/remote/outages.long.test.ts',
  'test/process/tools/unread.long.test.ts',
  'test/unit/tools/attacks/slow.long.test.ts',
  'test/process/cli/commands.long.test.ts',
  'test/unit/programs/inspector/server/slow.long.test.ts',
  'test/package/vscode-example.long.test.ts',
  'test/process/node/memory.long.test.ts',
  'test/peers/tools.long.test.ts',
  'test/process/cli/exit-codes.long.test.ts',
  'test/process/cli/chat-terminal.long.test.ts',
  'test/process/cli/chat-restart.long.test.ts',
  'test/process/cli/screens.long.test.ts',
  'test/process/cli/width.long.test.ts',
  'test/remote/serve.long.test.ts',
  'test/package/neovim-example.long.test.ts',
  'test/process/faults/matrix.long.test.ts',
  'test/oracle/readable.long.test.ts',
  'test/package/consumers.long.test.ts',
  'test/process/node/parent-exit.long.test.ts',
  'test/process/node/probe-login.long.test.ts',
  'test/process/node/hostile-agents.long.test.ts',
  'test/conformance/gates/requests.long.test.ts',
  'test/process/cli/doctor.long.test.ts',
  'test/oracle/received.long.test.ts',
  'test/package/docs/vscode-guide.long.test.ts',
  'test/process/demo/turns.long.test.ts',
  'test/laws/faults/sample.long.test.ts',
  'test/process/cli/history.long.test.ts',
  'test/process/cli/agents.long.test.ts',
  'test/package/docs/getting-started.long.test.ts',
  'test/laws/recording.long.test.ts',
  'test/process/demo/requests.long.test.ts',
  'test/process/cli/remote.long.test.ts',
  'test/package/docs/traces.long.test.ts',
  'test/package/release.long.test.ts',
  'test/fuzz/traffic.long.test.ts',
  'test/package/remote-agents.long.test.ts',
  'test/laws/wire-order.test.ts',
  'test/package/lint.test.ts',
  'test/unit/tools/cancel.test.ts',
  'test/process/node/spawn.test.ts',
  'test/unit/tools/attacks/input.test.ts',
  'test/process/node/terminals.test.ts',
  'test/conformance/gates/calls.test.ts',
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
