import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { ConnectionState } from '../../../src/core/client/connection.ts';
import type { SpawnedAgent } from '../../../src/node/process/agent-process.ts';
import { groups } from '../../../src/node/process/process-group.ts';
import { buildDemoAgent } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { messages, outline } from '../../support/open-session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The text of the last message of the agent's. */
function lastAnswer(conversation: Parameters<typeof messages>[0]): string {
  const last = messages(conversation).findLast(({ role }) => role === 'agent');
  return last?.content.map((block) => (block.type === 'text' ? block.text : '')).join('') ?? '';
}

test.each(['v1', 'v2-markers', 'v2-baseline'])(
  '[reliability: restart] an agent killed in the middle of a turn is started again, and its session goes on after the entry of the interrupted turn (%s)',
  async (dialect) => {
    const program = await buildDemoAgent();
    const folder = temporaryFolder();
    const agents: SpawnedAgent[] = [];
    const start = () => {
      const agent = spawnAgent({
        command: process.execPath,
        args: [program, '--state', folder, '--dialect', dialect],
      });
      agents.push(agent);
      return agent;
    };
    const connection = await connect(start, {
      clientInfo: { name: 'test', version: '0' },
      reconnect: { firstDelayMs: 1 },
    });
    const states: ConnectionState[] = [];
    const open = new Promise<void>((resolve) => {
      connection.onStateChange((state) => {
        states.push(state);
        if (state === 'open') resolve();
      });
    });
    const session = await connection.newSession({ cwd: '/home/ada' });
    await session.prompt('Say something first.');
    const before = session.conversation;
    expect(lastAnswer(before)).not.toBe('');

    const counting = session.prompt('Count slow sheep.');
    await eventually(() => lastAnswer(session.conversation)).toMatch(/3/);
    const saidSoFar = lastAnswer(session.conversation);
    process.kill(agents[0]?.pid ?? 0, 'SIGKILL');
    const error = await counting.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'connection.closed', exit: { signal: 'SIGKILL', exitCode: null } });
    expect((error as Error).message).toContain('send it once more');
    await open;
    expect(states).toEqual(['reconnecting', 'open']);
    expect(connection.sessions).toEqual([session]);

    const after = session.conversation;
    // The entries from before the crash keep their places. The last entry tells of the interrupted turn.
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(outline(after).at(-1)).toMatch(/^interrupted: .* was ended by SIGKILL\.$/);
    expect(lastAnswer(after).startsWith(saidSoFar)).toBe(true);
    expect(after.activity.state).toBe('idle');

    const { stopReason } = await session.prompt('And once more.');
    expect(stopReason).toBe('end_turn');
    expect(outline(session.conversation).slice(0, after.entries.length)).toEqual(outline(after));
    await connection.close();
    expect(agents).toHaveLength(2);
    for (const { pid } of agents) expect(await groups.runs(pid ?? 0)).toBe(false);
  },
);
