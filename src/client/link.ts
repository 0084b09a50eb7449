import { type DiagnosticListener, preview } from '../diagnostic.ts';
import {
  AcpError,
  ConnectionClosedError,
  ExitError,
  InvalidMessageError,
  RemoteError,
  TimeoutError,
  UnsupportedVersionError,
} from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Implementation } from '../model/session.ts';
import { lastLines, shortened } from '../printable.ts';
import type { AuthMethod, Dialect, DialectName } from '../protocol/dialect.ts';
import type { ClientFeatures, ProtocolVersion } from '../protocol/negotiate.ts';
import { dialectNamed, initializeParams, negotiate } from '../protocol/negotiate.ts';
import * as rpcCodes from '../rpc/codes.ts';
import { Peer, type PeerListener } from '../rpc/peer.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import { type Capabilities, explainFeature } from './gate.ts';
import { type Patience, startWaiting } from './patience.ts';

/** One run of one agent that has answered `initialize`: all that is known of it, and the way to talk to it. */
export interface Link {
  readonly peer: Peer;
  readonly dialect: Dialect;
  /** As it came. */
  readonly initializeResult: JsonObject;
  readonly agentInfo: Implementation | undefined;
  readonly authMethods: readonly AuthMethod[];
  readonly capabilities: Capabilities;
}

/** What `initialize` is sent with. */
export interface Introduction {
  readonly clientInfo: Implementation;
  readonly features: ClientFeatures;
  readonly offered: readonly ProtocolVersion[];
  readonly dialect: DialectName | undefined;
  readonly patience: Patience;
}

/** Introduces the client to an agent. If that fails the transport is closed, and the error says who must act. */
export async function establish(
  transport: Transport,
  introduction: Introduction,
  listener: PeerListener,
  signal?: AbortSignal,
): Promise<Link> {
  const { offered, clientInfo, features, patience } = introduction;
  const peer = new Peer(transport, listener);
  const waiting = startWaiting(patience, transport, signal);
  try {
    const params = initializeParams(offered, clientInfo, features);
    const result = await peer.request('initialize', params, { signal: waiting.signal });
    if (!isJsonObject(result)) {
      throw new InvalidMessageError(
        `The agent answered initialize with ${preview(result)}, which is no object.`,
        {
          method: 'initialize',
        },
      );
    }
    const dialect = introduction.dialect
      ? dialectNamed(introduction.dialect)
      : recognize(result, offered, listener.onDiagnostic);
    return describe(peer, dialect, result);
  } catch (error) {
    waiting.stop();
    await peer.close();
    throw asConnectError(error, offered, await peer.closed);
  } finally {
    waiting.stop();
  }
}

function describe(peer: Peer, dialect: Dialect, initializeResult: JsonObject): Link {
  const { agentInfo, authMethods } = dialect.readInitialize(initializeResult);
  return {
    peer,
    dialect,
    initializeResult,
    agentInfo,
    authMethods,
    capabilities: {
      agentName: agentInfo
        ? shortened(`${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`, 100)
        : 'the agent',
      explain: (feature) => explainFeature(feature, dialect.features, initializeResult),
    },
  };
}

function recognize(
  result: JsonObject,
  offered: readonly ProtocolVersion[],
  report: DiagnosticListener,
): Dialect {
  const negotiated = negotiate(result, offered);
  if (!negotiated.dialect) throw noCommonVersion(offered, [result['protocolVersion']]);
  if (negotiated.oddity)
    report({ rule: 'protocol.dialect', severity: 'warning', message: negotiated.oddity });
  return negotiated.dialect;
}

function noCommonVersion(
  offered: readonly number[],
  supported: readonly unknown[],
  cause?: unknown,
): UnsupportedVersionError {
  const theirs = supported.map((version) => JSON.stringify(version) ?? 'none').join(', ');
  return new UnsupportedVersionError(
    `The agent and this client have no protocol version in common: offered ${offered.join(', ')}, answered ${theirs || 'none'}. The connection was closed. Update the agent or the client.`,
    { method: 'initialize', offered, supported, cause },
  );
}

/** What a failed attempt to connect comes from, in the words of whoever must act. */
function asConnectError(
  error: unknown,
  offered: readonly ProtocolVersion[],
  { exit }: TransportEnd,
): unknown {
  if (error instanceof TimeoutError) return withLastWords(error, exit?.stderrTail ?? '');
  if (error instanceof RemoteError && error.rpcCode === rpcCodes.unsupportedVersion) {
    const data = error.data;
    const supported = isJsonObject(data) && Array.isArray(data['supported']) ? data['supported'] : [];
    return noCommonVersion(offered, supported, error);
  }
  if (!(error instanceof ConnectionClosedError)) return error;
  // Nothing was connected yet that could have been closed: the program is what failed.
  if (AcpError.is(error.cause) && error.cause.code === 'agent.exit') return error.cause;
  if (!error.exit) return error;
  return new ExitError(error.message, { ...error.exit, method: 'initialize', cause: error.cause });
}

/** What the agent wrote to stderr is the best hint at what it waits for. */
function withLastWords(error: TimeoutError, stderrTail: string): TimeoutError {
  const lines = lastLines(stderrTail);
  if (lines === '') return error;
  const { method, timeoutMs } = error;
  return new TimeoutError(`${error.message} The last it wrote to stderr:\n${lines}`, { method, timeoutMs });
}
