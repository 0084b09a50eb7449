import type { JsonObject } from '../../core/base/json.ts';
import type { DialectName } from '../../core/protocol/dialect.ts';
import { type AgentEnd, memoryTransport } from '../../core/transport/memory/memory-transport.ts';
import type { NdjsonTransportOptions } from '../../core/transport/ndjson.ts';
import type { Transport } from '../../core/transport/transport.ts';
import { scriptChecks } from './check-script.ts';
import { type ReceivedMessage, Script } from './script.ts';

export { noAnswer, type ReceivedMessage, updateMessage } from './script.ts';

/**
 * The answer of an agent to a call: the result, or a function that returns it. The function can send updates and
 * requests first. It throws a `RequestError` to answer with that error, and returns {@link noAnswer} not to answer. What
 * it throws for a notification is an unhandled rejection, which fails the test.
 */
export type Answer =
  | object
  | null
  | ((params: JsonObject, agent: ScriptedAgent, id: string | number) => unknown);

/** Options of {@link scriptedAgent}. */
export interface ScriptedAgentOptions extends NdjsonTransportOptions {
  /**
   * Checks each message of the script against the published schema of this dialect, and refuses fields that the
   * protocol does not have. A wrong update, notification or request throws where it is sent. A wrong answer fails the
   * client's call. Default: nothing is checked.
   */
  readonly validate?: DialectName | undefined;
}

/** An agent that follows a script. A method that the script does not name is answered with error -32601. */
export interface ScriptedAgent {
  /** The client connects to this. */
  readonly transport: Transport;
  /** All messages from the client, in order. */
  readonly received: ReceivedMessage[];
  /** The agent's end of the channel, to send messages that a correct agent does not send. */
  readonly channel: AgentEnd;
  /** Sets the answer to a method. It replaces an earlier one. */
  on(method: string, answer: Answer): this;
  /** The client's calls of this method, in order. */
  calls(method: string): readonly ReceivedMessage[];
  /** Sends updates of a session, in one chunk. */
  update(sessionId: string, ...updates: readonly object[]): void;
  /** Sends a notification. */
  notify(method: string, params?: object): void;
  /** Calls the client. Resolves to the complete answer, with its `result` or its `error`. */
  request(method: string, params?: object): Promise<ReceivedMessage> & { readonly id: number };
  /** Answers a call to which the script returned {@link noAnswer}. */
  answer(id: string | number, result: unknown): void;
  /** Resolves to the client's call of this method number `times`, counted from 1. */
  called(method: string, times?: number): Promise<ReceivedMessage>;
}

/**
 * Creates an agent that follows a script, at the other end of a channel in memory.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent({ validate: 'v1' })
 *   .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
 *   .on('session/new', { sessionId: 's1' })
 *   .on('session/prompt', async (_, agent) => {
 *     agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hello.' } });
 *     return { stopReason: 'end_turn' };
 *   });
 * const connection = await connect(agent.transport, { clientInfo: { name: 'test', version: '0' } });
 * ```
 */
export function scriptedAgent(options: ScriptedAgentOptions = {}): ScriptedAgent {
  const { validate, ...channel } = options;
  const { transport, agent } = memoryTransport(channel);
  return Object.assign(new Script(agent, validate && scriptChecks(validate)), { transport });
}
