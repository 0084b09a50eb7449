import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json.ts';
import { connect } from '../../../src/client/connect.ts';
import type { Tool } from '../../../src/entries/tools.ts';
import type { AgentProcess } from '../../../src/node/agent-process.ts';
import { spawnAgent } from '../../../src/node/spawn.ts';
import { transcriptOf } from '../../../src/recording/transcript-of.ts';
import { eventually } from '../../support/eventually.ts';
import { leftOf, serverOf, transports, waitingTool } from '../../support/open-tools.ts';
import { reopened } from '../../support/recorded-session.ts';

const program = fileURLToPath(new URL('programs/tool-agent.mjs', import.meta.url));

/** The servers in the calls that opened sessions, in order. */
function serversIn(messages: readonly unknown[]): readonly JsonObject[] {
  return messages.flatMap((message) => {
    const params = isJsonObject(message) ? message['params'] : undefined;
    const servers = isJsonObject(params) ? params['mcpServers'] : undefined;
    return Array.isArray(servers) ? (servers as JsonObject[]) : [];
  });
}

test.each(transports)(
  'over %s, a server moves to the agent that is started again, and a call under way is reported',
  async (transport) => {
    const agents: AgentProcess[] = [];
    const diagnostics: Diagnostic[] = [];
    const sent: unknown[] = [];
    const connection = await connect(
      () => {
        const agent = spawnAgent({ command: process.execPath, args: [program, transport] });
        agents.push(agent);
        return agent;
      },
      {
        clientInfo: { name: 'test', version: '0' },
        reconnect: { firstDelayMs: 1 },
        onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
        // What this process sends itself has the addresses, and stays here.
        trace: { write: ({ dir, msg }) => dir === 'out' && sent.push(msg), redact: (message) => message },
      },
    );
    const { tool: wait, signals } = waitingTool();
    const whoami: Tool = { description: 'x', run: (_input, { session }) => `I am ${session.sessionId}.` };
    const editor = serverOf({ wait, whoami }, transport);
    const session = await connection.newSession({ cwd: '/home/ada', mcpServers: [editor] });
    await session.prompt('whoami');
    const turn = session.prompt('wait');
    turn.catch(() => {});
    await eventually(() => signals).toHaveLength(1);
    const isBack = reopened(connection);
    process.kill(agents[0]?.pid ?? 0, 'SIGKILL');
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    await isBack;
    expect(signals[0]?.reason).toMatchObject({ name: 'AbortError' });
    expect(diagnostics.filter(({ rule }) => rule === 'tools.interrupted')).toHaveLength(1);
    const [before, after] = serversIn(sent);
    expect(before).toBeDefined();
    expect(after).not.toEqual(before);
    await eventually(() => leftOf(before ?? {})).toEqual([]);
    expect(diagnostics.filter(({ rule }) => rule === 'tools.transport')).toHaveLength(2);

    await session.prompt('whoami');
    const said = `I am ${session.sessionId}.`;
    expect(transcriptOf(session.conversation).split(said)).toHaveLength(3);
    await connection.close();
    expect(agents).toHaveLength(2);
    await eventually(() => leftOf(after ?? {})).toEqual([]);
  },
);
