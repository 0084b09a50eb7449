import { onTestFinished } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientConnection, ConnectionState } from '../../src/core/client/connection.ts';
import { type ScriptedAgent, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';

export interface Restarting {
  readonly connection: ClientConnection;
  /** The runs of the agent, in order. */
  readonly agents: readonly ScriptedAgent[];
  readonly states: readonly ConnectionState[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Connects to an agent that is started again when it ends, and closes when the test is over. The agent opens the session
 * `s1`. `script` gives each run of the agent, counted from 0, its answers.
 */
export async function connectRestarting(
  script: (agent: ScriptedAgent, run: number) => unknown,
  options: Partial<ConnectOptions> = {},
): Promise<Restarting> {
  const agents: ScriptedAgent[] = [];
  const states: ConnectionState[] = [];
  const diagnostics: Diagnostic[] = [];
  const start = () => {
    const agent = scriptedAgent().on('session/new', { sessionId: 's1' });
    script(agent, agents.push(agent) - 1);
    return agent.transport;
  };
  const { handlers, ...rest } = options;
  const connection = await connect(start, {
    clientInfo: { name: 'test', version: '0.0.0' },
    reconnect: { firstDelayMs: 1, maxDelayMs: 5, maxAttempts: 3 },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    handlers: { ...handlers, extensions: { ...handlers?.extensions, '_test/flush': () => null } },
    ...rest,
  });
  onTestFinished(() => connection.close());
  connection.onStateChange((state) => states.push(state));
  return { connection, agents, states, diagnostics };
}

/** Resolves when the connection comes to this state. */
export function reaches(connection: ClientConnection, state: ConnectionState): Promise<void> {
  return new Promise((resolve) => {
    const stop = connection.onStateChange((now) => {
      if (now !== state) return;
      stop();
      resolve();
    });
  });
}

/** Ends the agent, and resolves when the connection is in this state. */
export async function crash({ connection, agents }: Restarting, state: ConnectionState = 'open') {
  const isThere = reaches(connection, state);
  agents.at(-1)?.channel.end();
  await isThere;
}
