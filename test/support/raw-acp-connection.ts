import { onTestFinished } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import { remoteTransport } from '../../src/agents/remote.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { RemoteTransportOptions } from '../../src/core/transport/remote-options.ts';
import type { Transport, TransportListener } from '../../src/core/transport/transport.ts';
import { listened } from './listened.ts';

/** The working directory of a session on a server. */
export const cwd = '/project';

/** A channel over streamable HTTP. */
export const streamableHttp = (url: string, options: RemoteTransportOptions = {}): Transport =>
  remoteTransport(url, { ...options, WebSocket: false });

/** Connects to a server over streamable HTTP, and closes when the test is over. */
export async function connectHttp(
  url: string,
  options: RemoteTransportOptions = {},
  connectOptions: Partial<ConnectOptions> = {},
): Promise<{ readonly connection: ClientConnection; readonly diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const connection = await connect(() => streamableHttp(url, options), {
    clientInfo: { name: 'test', version: '0.0.0' },
    protocolVersions: [1],
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...connectOptions,
  });
  onTestFinished(() => connection.close());
  return { connection, diagnostics };
}

/** As {@link connectHttp}, and opens the session `s1`. */
export async function openHttpSession(...options: Parameters<typeof connectHttp>) {
  const connected = await connectHttp(...options);
  return { ...connected, session: await connected.connection.newSession({ cwd }) };
}

export interface RemoteChannel extends ReturnType<typeof listened> {
  readonly transport: Transport;
  /** What {@link TransportListener} was told of calls and sessions that were lost. */
  readonly losses: { readonly id?: unknown; readonly sessionId?: string; readonly message: string }[];
}

/** Opens a channel without a connection on top of it, and sends `initialize`. */
export async function openChannel(
  url: string,
  options: RemoteTransportOptions = {},
  listener: Partial<TransportListener> = {},
): Promise<RemoteChannel> {
  const transport = streamableHttp(url, options);
  onTestFinished(() => transport.close());
  const losses: RemoteChannel['losses'] = [];
  const told = listened(transport, {
    onRequestFailed: (id, { message }) => losses.push({ id, message }),
    onSessionLost: ({ sessionId, error: { message } }) => losses.push({ sessionId, message }),
    ...listener,
  });
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } });
  return { transport, losses, ...told };
}
