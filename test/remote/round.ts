import { fileURLToPath } from 'node:url';
import { Agent, fetch as undiciFetch } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { connect } from '../../src/agents/connect.ts';
import { remoteTransport } from '../../src/agents/remote.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type {
  RemoteTransportOptions,
  WebSocketConstructor,
} from '../../src/core/transport/remote-options.ts';
import type { Transport } from '../../src/core/transport/transport.ts';
import { outline } from '../support/open-session.ts';
import { authorized } from '../support/serve-example.ts';

/** The command of an agent of the official SDK: `v1` or `v2`. */
export const officialAgent = (version: string): readonly string[] => [
  process.execPath,
  fileURLToPath(new URL('../peers/programs/agent.mjs', import.meta.url)),
  version,
];

/** The transports to another machine, by name. Each takes an `http:` or `https:` URL. */
export const transports = {
  'streamable HTTP': (url, options) => remoteTransport(url, { ...options, WebSocket: false }),
  WebSocket: (url, options) => remoteTransport(url.replace(/^http/, 'ws'), options),
} satisfies Readonly<Record<string, (url: string, options: RemoteTransportOptions) => Transport>>;

export type TransportName = keyof typeof transports;
export const transportNames = Object.keys(transports) as TransportName[];

/** A WebSocket that trusts a certificate. */
export function socketTrusting(ca: string): WebSocketConstructor {
  class TrustingSocket extends WebSocket {
    constructor(url: string, protocols?: string[], options?: object) {
      super(url, protocols, { ...options, ca });
    }
  }
  // Its sockets have what the transport uses.
  return TrustingSocket as unknown as WebSocketConstructor;
}

/** A server to connect to. */
export interface Target {
  readonly url: string;
  readonly transport: TransportName;
  readonly options?: RemoteTransportOptions;
  /** As for `connect`. Default: the connection is not opened again. */
  readonly reconnect?: ConnectOptions['reconnect'];
}

/** Opens a connection. */
export async function connectTo({ url, transport, options, reconnect }: Target) {
  const diagnostics: Diagnostic[] = [];
  const connection = await connect(() => transports[transport](url, { headers: authorized, ...options }), {
    clientInfo: { name: 'my-editor', version: '1.0.0' },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    reconnect,
    handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'allow' }) },
  });
  return { connection, diagnostics };
}

const numbers = Array.from({ length: 2000 }, (_, n) => `${n} `).join('');

/** Diagnostics that each agent of the official SDK causes. */
const expected: ReadonlySet<string> = new Set(['transport.chosen']);

/**
 * Plays a session with an agent of the official SDK: a permission request, and 2,000 chunks, which all are in the
 * conversation when the call of the prompt resolves.
 */
export async function playRound(target: Target): Promise<void> {
  const { connection, diagnostics } = await connectTo(target);
  const session = await connection.newSession({ cwd: '/home/user/project' });
  expect((await session.prompt('permission')).stopReason).toBe('end_turn');
  expect(outline(session.conversation)).toEqual([
    'user: permission',
    't2: completed',
    'agent: The answer was allow.',
  ]);
  expect((await session.prompt('count')).stopReason).toBe('end_turn');
  expect(outline(session.conversation).slice(3)).toEqual(['user: count', `agent: ${numbers}`]);
  await session.close();
  await connection.close();
  expect(diagnostics.filter(({ rule }) => !expected.has(rule))).toEqual([]);
}

/** Functions that send requests with each version of HTTP, and trust a certificate. The end of the test closes them. */
export function fetchTrusting(ca: string): { readonly http1: typeof fetch; readonly http2: typeof fetch } {
  const make = (allowH2: boolean): typeof fetch => {
    const dispatcher = new Agent({ allowH2, connect: { ca } });
    onTestFinished(() => dispatcher.destroy());
    // The platform's types and those of the package differ in details that no transport uses.
    const send = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
    return (input, init) => send(input, { ...init, dispatcher });
  };
  return { http1: make(false), http2: make(true) };
}
