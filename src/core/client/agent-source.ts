import { preview } from '../base/diagnostic.ts';
import { InvalidParamsError } from '../base/errors.ts';
import { hasMethods } from '../base/options.ts';
import { withLimits } from '../base/wait.ts';
import type { Transport } from '../transport/transport.ts';

/** An agent to connect to, or a function that starts one: `reconnect` calls it again. */
export type AgentSource = Transport | (() => Transport | Promise<Transport>);

const used = new WeakSet<Transport>();

/** Starts the agent. Two connections that read from one channel would each get a part of its messages. */
export async function startAgent(agent: AgentSource, signal: AbortSignal | undefined): Promise<Transport> {
  const transport = typeof agent === 'function' ? await startWithin(agent, signal) : agent;
  assertTransport(transport);
  if (used.has(transport)) {
    const message =
      'connect: this agent has, or had, a connection already. Nothing was sent. Start a new agent for each connection and for each restart.';
    throw new InvalidParamsError(message);
  }
  used.add(transport);
  return transport;
}

/** Calls the function that starts the agent. A transport that arrives after the caller has left is closed. */
async function startWithin(
  start: () => Transport | Promise<Transport>,
  signal: AbortSignal | undefined,
): Promise<Transport> {
  const started = Promise.resolve(start());
  try {
    return await withLimits(started, { signal });
  } catch (error) {
    if (signal?.aborted) started.then((transport) => transport.close?.()).catch(() => {});
    throw error;
  }
}

/** Whether an agent is a transport, and not a function that starts one. */
export function isTransport(agent: unknown): agent is Transport {
  return hasMethods(agent, 'listen', 'send');
}

/** Refuses what is no transport. */
export function assertTransport(agent: unknown): asserts agent is Transport {
  if (isTransport(agent)) return;
  const message = `connect: the agent is ${preview(agent)}; pass what spawnAgent returned, or a function that starts an agent and returns it. Nothing was sent.`;
  throw new InvalidParamsError(message);
}
