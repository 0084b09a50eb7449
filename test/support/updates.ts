import type { JsonObject } from '../../src/core/base/json.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { text } from './agents.ts';
import { flush } from './open-session.ts';

/** What agents send, in short, for the session `s1` if there is no other. */

/** A chunk of an agent's message. */
export const says = (said: string, messageId?: string | null) => ({
  sessionUpdate: 'agent_message_chunk' as const,
  content: text(said),
  ...(messageId !== undefined && { messageId }),
});

/** A chunk of a message of the user. */
export const repeats = (said: string, messageId?: string | null) => ({
  ...says(said, messageId),
  sessionUpdate: 'user_message_chunk' as const,
});

/** A whole message of the user, in version 2. */
export const userMessage = (messageId: string, said: string) => ({
  sessionUpdate: 'user_message',
  messageId,
  content: [text(said)],
});

export const stateUpdate = (state: string, fields: object = {}) => ({
  sessionUpdate: 'state_update',
  state,
  ...fields,
});

/** The announcement of a tool call. */
export const toolCall = (dialect: DialectName, fields: object = {}) => ({
  sessionUpdate: dialect === 'v1' ? 'tool_call' : 'tool_call_update',
  toolCallId: 't1',
  title: 'Write',
  ...fields,
});

export const toolCallUpdate = (fields: object, toolCallId = 't1') => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...fields,
});

export const yes = { optionId: 'yes', name: 'Yes', kind: 'allow_once' } as const;

/** The parameters of a permission request about a tool call. */
export function permissionParams(
  dialect: DialectName,
  {
    sessionId = 's1',
    toolCall = { toolCallId: 't1', title: 'Write' } as JsonObject,
    options = [yes] as readonly JsonObject[],
  } = {},
): JsonObject {
  const about =
    dialect === 'v1' ? { toolCall } : { title: 'Write?', subject: { type: 'tool_call', toolCall } };
  return { sessionId, options, ...about };
}

/** A script that takes prompts, reports that it works, and leaves the turns open. Ids are `u1`, `u2` and so on. */
export function working(dialect: DialectName): (agent: ScriptedAgent) => ScriptedAgent {
  let count = 0;
  return (agent) =>
    agent.on('session/prompt', () => {
      count++;
      if (dialect === 'v1') return noAnswer;
      agent.update('s1', stateUpdate('running'));
      return { messageId: `u${count}` };
    });
}

/** Ends the turn of the prompt that was sent last, and resolves when the client knows it. */
export async function endTurn(dialect: DialectName, agent: ScriptedAgent, stopReason = 'end_turn') {
  if (dialect === 'v1') agent.answer(agent.calls('session/prompt').at(-1)?.id ?? '', { stopReason });
  else agent.update('s1', stateUpdate('idle', { stopReason }));
  await flush(agent);
}
