import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { spawnAgent } from '../../src/entries/node.ts';
import type { ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import type { PanelOptions } from '../../src/ui/panel/options.ts';
import { cwd, hostOptions } from '../support/panel-pair.ts';

/** What agents in these tests call a file, with a part that does not break. */
export const longWord = `a${'-very'.repeat(8)}${'long'.repeat(40)}`;

/** The options of a host that runs a program, in an empty directory. */
export async function hostOf(...args: readonly string[]): Promise<PanelOptions> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return {
    agent: () => spawnAgent({ command: process.execPath, args, cwd: folder }),
    connect: { clientInfo: { name: 'test', version: '0.0.0' }, onDiagnostic: () => {} },
    workspace: () => ({ cwd: folder }),
  };
}

/** The options of a host whose agent answers a prompt so. Its session is `s1`. */
export function answeringHost(
  prompt: (agent: ScriptedAgent) => unknown,
  setup: Parameters<typeof hostOptions>[0] = {},
): PanelOptions {
  return hostOptions({
    ...setup,
    script: (agent, start) => {
      agent.on('session/prompt', async () => (await prompt(agent)) ?? { stopReason: 'end_turn' });
      setup.script?.(agent, start);
    },
  }).options;
}

/** A tool call that changes a file, and says where. */
export const edit = {
  sessionUpdate: 'tool_call',
  toolCallId: 't1',
  title: 'Edit tea.md',
  kind: 'edit',
  status: 'completed',
  locations: [{ path: `${cwd}/tea.md`, line: 2 }],
  content: [{ type: 'diff', path: `${cwd}/tea.md`, oldText: 'one\ntwo\n', newText: 'one\ntwo and a half\n' }],
};

/** Asks for a permission for a tool call, which is the one of {@link edit} and waits. Resolves to the option that was chosen. */
export async function asksToEdit(agent: ScriptedAgent, change: object = {}): Promise<string> {
  agent.update('s1', { ...edit, status: 'pending', ...change });
  const { result } = await agent.request('session/request_permission', {
    sessionId: 's1',
    toolCall: { toolCallId: 't1' },
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  });
  agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
  // The answer to a request of a permission has an outcome.
  return (result as { outcome: { optionId?: string } }).outcome.optionId ?? 'cancelled';
}
