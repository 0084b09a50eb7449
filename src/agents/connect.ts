import type { AgentSource } from '../core/client/agent-source.ts';
import { runCall } from '../core/client/calls/call-site.ts';
import { type ConnectOptions, openConnection } from '../core/client/connect.ts';
import type { ClientConnection } from '../core/client/connection.ts';
import { agentOf } from './find.ts';

/**
 * Connects to an agent: sends `initialize`, which offers versions 1 and 2 of the protocol, and returns the connection.
 * `protocolVersions: [1]` offers version 1 alone. `clientInfo` is the only option that it needs. `handlers` answers the
 * agent: without `requestPermission`, each permission request is cancelled. With `reconnect: {}`, an agent that is lost is
 * started or reached again. `connection.close()` ends the agent. If connecting fails, the transport is closed.
 *
 * @param agent - What `spawnAgent` returned, or a function that starts an agent. The connection owns it, and it cannot
 *   be used for another connection.
 * @throws {@link InvalidParamsError} if an option is wrong, or the agent was already used for a connection.
 * @throws {@link UnsupportedVersionError} if there is no common protocol version.
 * @throws {@link SpawnError} or {@link ExitError} if the agent's program does not start, or ends before it answers.
 * @throws {@link TimeoutError} if it does not answer in time.
 *
 * @example
 * ```ts
 * const connection = await connect(agent, { clientInfo: { name: 'my-editor', version: '1.0.0' } });
 * ```
 * @see https://agentclientprotocol.com/protocol/initialization
 */
export function connect(agent: AgentSource, options: ConnectOptions): Promise<ClientConnection> {
  return runCall({ connect }, 'connect', () => openConnection(agent, options, agentOf));
}
