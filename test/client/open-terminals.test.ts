import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import type { ClientConnection } from '../../src/client/connection.ts';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { type NodeTerminals, nodeTerminals } from '../../src/node/terminals.ts';
import { type ScriptedAgent, scriptedAgent } from '../../src/testing/scripted-agent.ts';
import { everything } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';

const clientInfo = { name: 'test', version: '0' };
const cwd = process.cwd();
const sessionId = 's1';

let connection: ClientConnection | undefined;
afterEach(() => connection?.close());

/** An agent that is started again after each crash. */
async function restarting(terminals: NodeTerminals, onDiagnostic?: (diagnostic: Diagnostic) => void) {
  const agents: ScriptedAgent[] = [];
  const start = () => {
    const agent = scriptedAgent()
      .on('initialize', everything.v1)
      .on('session/new', { sessionId })
      .on('session/resume', {});
    agents.push(agent);
    return agent.transport;
  };
  const made = await connect(start, {
    clientInfo,
    handlers: { terminals },
    reconnect: { firstDelayMs: 1 },
    ...(onDiagnostic && { onDiagnostic }),
  });
  connection = made;
  await made.newSession({ cwd });
  const restarted = new Promise<void>((resolve) => {
    made.onStateChange((state) => state === 'open' && resolve());
  });
  return { agent: agents[0] as ScriptedAgent, restarted };
}

async function run(agent: ScriptedAgent): Promise<string> {
  const { result } = await agent.request('terminal/create', {
    sessionId,
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
  });
  return String((result as { terminalId: string }).terminalId);
}

test('what a crashed agent had running is ended, and what it printed can still be shown', async () => {
  const terminals = nodeTerminals();
  const { agent, restarted } = await restarting(terminals);
  const [kept, released] = [await run(agent), await run(agent)];
  await agent.request('terminal/release', { sessionId, terminalId: released });
  const exited = terminals.waitForExit({ terminalId: kept });
  agent.channel.exit();
  expect(await exited).toEqual({ exitCode: null, signal: 'SIGTERM' });
  await restarted;
  await expect(terminals.output({ terminalId: kept })).rejects.toThrow('was released');
  expect(terminals.get(kept)).toMatchObject({ exitStatus: { signal: 'SIGTERM' } });
});

test('a terminal that cannot be released is told, and holds up nobody', async () => {
  const terminals = nodeTerminals();
  const diagnostics: Diagnostic[] = [];
  const failing: NodeTerminals = { ...terminals, release: () => Promise.reject(new Error('stuck')) };
  const { agent, restarted } = await restarting(failing, (diagnostic) => diagnostics.push(diagnostic));
  const terminalId = await run(agent);
  agent.channel.exit();
  await restarted;
  await eventually(() => diagnostics.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
    `handler.failed: The terminal ${terminalId} of an agent that crashed could not be released: stuck.`,
  ]);
});
