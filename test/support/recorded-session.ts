import { expect } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { foldTraffic } from '../../src/records/recording/fold-traffic.ts';
import { type RecordedChannel, recordedChannel } from '../../src/records/recording/playback.ts';
import { type Recording, recordTraffic } from '../../src/records/recording/record-traffic.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { settle } from './agents.ts';
import { reaches } from './restarting-agent.ts';
import { scriptedAgentOn } from './transports/wire.ts';
import * as updates from './updates.ts';

export const cwd = '/project';
export const params = { sessionId: 's1', cwd };

const open: ClientConnection[] = [];

/** Closes the connections of a test. To be called after each. */
export async function closeAll(): Promise<void> {
  for (const connection of open.splice(0)) await connection.close();
}

export interface Live {
  readonly connection: ClientConnection;
  readonly recording: Recording;
  /** The runs of the agent, in order. */
  readonly agents: readonly ScriptedAgent[];
  /** Their channels, in the same order. */
  readonly channels: readonly RecordedChannel[];
}

/** Connects to agents that follow a script, one for each start, and records the traffic. */
export async function live(
  initializeResult: JsonObject,
  script: (agent: ScriptedAgent, run: number) => unknown,
  connectOptions: Partial<ConnectOptions> = {},
): Promise<Live> {
  const recording = recordTraffic();
  const agents: ScriptedAgent[] = [];
  const channels: RecordedChannel[] = [];
  const start = () => {
    const channel = recordedChannel();
    channels.push(channel);
    const agent = scriptedAgentOn(channel)
      .on('initialize', initializeResult)
      .on('session/new', { sessionId: 's1' });
    script(agent, agents.push(agent));
    return agent.transport;
  };
  const clientInfo = { name: 'test', version: '0.0.0' };
  const connection = await connect(start, { clientInfo, trace: recording, ...connectOptions });
  open.push(connection);
  return { connection, recording, agents, channels };
}

/** Begins a turn, and resolves when the agent has its prompt. */
export async function inTurn({ connection, agents: [agent] }: Live) {
  if (!agent) throw new Error('No agent was started.');
  const session = await connection.newSession({ cwd });
  const turn = session.prompt('Delete it.');
  const { id = -1 } = await agent.called('session/prompt');
  return { agent, session, turn, id };
}

async function folded({ recording }: Live) {
  const { sessions } = await foldTraffic(recording.toString());
  return sessions.map(({ conversation }) => conversation);
}

/** Checks that the recording so far folds to the conversations that the client has. */
export async function expectSame(run: Live, ...sessions: readonly Session[]): Promise<void> {
  // What is recorded is handled.
  await settle();
  const conversations = sessions.map(({ store: conversation }) => conversation.getSnapshot());
  expect(await folded(run)).toEqual(conversations);
}

export const toolCall = (dialect: DialectName, fields: object = {}) =>
  updates.toolCall(dialect, { title: 'Delete it', status: 'in_progress', ...fields });

export const says = (message: string) => updates.says(message, 'm1');

/** Asks for a permission, as the dialect has it. */
export const asks = (
  dialect: DialectName,
  agent: ScriptedAgent,
  toolCall: JsonObject = { toolCallId: 't1' },
) => agent.request('session/request_permission', updates.permissionParams(dialect, { toolCall }));

/** Ends the turn of an open prompt, as the dialect has it. */
export function endTurn(dialect: DialectName, agent: ScriptedAgent, id: string | number | undefined): void {
  if (dialect === 'v1') agent.answer(id ?? -1, { stopReason: 'end_turn' });
  else agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
}

/** Takes a prompt and works on it until the turn is ended. */
export const works = (dialect: DialectName) => (_: JsonObject, agent: ScriptedAgent) => {
  agent.update('s1', says('I begin.'), toolCall(dialect));
  if (dialect === 'v1') return noAnswer;
  agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
  return { messageId: `u${++prompts}` };
};
let prompts = 0;

/** Resolves when the connection is open again. */
export const reopened = (connection: ClientConnection) => reaches(connection, 'open');
