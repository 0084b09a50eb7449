import { type DiagnosticListener, preview, warning } from '../../base/diagnostic.ts';
import {
  AcpError,
  ConnectionClosedError,
  ExitError,
  InvalidMessageError,
  RemoteError,
  TimeoutError,
  UnsupportedVersionError,
} from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { lastLines, shortened } from '../../base/printable.ts';
import { withLimits } from '../../base/wait.ts';
import type { Implementation } from '../../model/session.ts';
import type { AgentKnowledge, FindAgent } from '../../protocol/agent-knowledge.ts';
import type { AuthMethod, Dialect, DialectName } from '../../protocol/dialect.ts';
import { loadDialect } from '../../protocol/load-dialect.ts';
import { negotiate, type ProtocolVersion } from '../../protocol/negotiate.ts';
import type { PathMap } from '../../protocol/path-map.ts';
import { readInitialize } from '../../protocol/read-initialize.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import type { PeerListener } from '../../rpc/incoming.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport, TransportEnd } from '../../transport/transport.ts';
import { type Capabilities, explainFeature, explainNamed } from './gate.ts';
import { type InitializeTimeout, watchInitialize } from './initialize-timeout.ts';
import type { SendCall } from './outgoing-calls.ts';

/** One process of an agent that has answered `initialize`: what is known of it, and the channel to it. */
export interface Link {
  readonly peer: Peer;
  readonly dialect: Dialect;
  /** The `initialize` result as it was received. */
  readonly initializeResult: JsonObject;
  readonly agentInfo: Implementation | undefined;
  readonly authMethods: readonly AuthMethod[];
  readonly capabilities: Capabilities;
  /** Whether a directory exists where the agent runs. Absent where this is not known. */
  readonly hasDirectory: Transport['hasDirectory'];
  readonly program: Transport['program'];
  /** What is known about the agent that it does not say of itself. */
  readonly agent: AgentKnowledge;
}

/** What `initialize` is sent with. */
export interface Introduction {
  readonly offered: readonly ProtocolVersion[];
  /** Its parameters, for the versions that are offered. */
  readonly params: (offered: readonly ProtocolVersion[]) => JsonObject;
  /** The same without the login in a terminal. Absent if this is not offered. */
  readonly paramsWithoutLogin?: Introduction['params'] | undefined;
  readonly dialect: DialectName | undefined;
  readonly timeout: InitializeTimeout;
  /** The paths of an agent that sees other ones than the editor. */
  readonly paths: PathMap | undefined;
  readonly agentOf: FindAgent;
  readonly sendCall: SendCall;
}

/** Sends `initialize` to an agent. If that fails, the transport is closed, and the error says who can act. */
export async function establish(
  transport: Transport,
  introduction: Introduction,
  listener: PeerListener,
  signal?: AbortSignal,
): Promise<Link> {
  // What speaks JSON-RPC is loaded while the agent starts: a program that only imports the library does not wait for it.
  const { Peer } = await import('../../rpc/peer.ts').catch(async (error) => {
    await transport.close();
    throw error;
  });
  const watch = watchInitialize(introduction.timeout, signal);
  const peer = new Peer(transport, {
    ...listener,
    onActivity: watch.onActivity,
    onRequest(request) {
      // Only a client sends initialize, so this is our own request.
      if (request.method === 'initialize') {
        const message =
          'The program is not an ACP agent: it sends back what it receives. Check the command: it may need an option to speak ACP.';
        watch.fail(new InvalidMessageError(message, { method: 'initialize' }));
      }
      return listener.onRequest(request);
    },
  });
  try {
    const { offered, result } = await initialize(peer, introduction, watch.signal, listener.onDiagnostic);
    if (!isJsonObject(result)) {
      const message = `The agent answered initialize with ${preview(result)}, which is not an object.`;
      throw new InvalidMessageError(message, { method: 'initialize' });
    }
    const { paths, agentOf } = introduction;
    const name = introduction.dialect ?? selectDialect(result, offered, listener.onDiagnostic);
    const loading = loadDialect(name, paths);
    // What the agent sent behind its answer is for the connection.
    peer.holdReading(loading);
    const described = describeAgent(await withLimits(loading, { signal }), result);
    const hasDirectory = paths ? undefined : transport.hasDirectory?.bind(transport);
    const agent = agentOf(result);
    const link: Link = { ...described, peer, agent, hasDirectory, program: transport.program };
    transport.agentName = link.agentInfo?.title ?? link.agentInfo?.name;
    return link;
  } catch (error) {
    watch.stop();
    await peer.close();
    throw asConnectError(error, introduction.offered, await peer.closed);
  } finally {
    watch.stop();
  }
}

/**
 * Sends `initialize`, and returns the result with the versions that were offered last. An agent that refuses the newest
 * version with an error, and names an older one that was offered too or none, is asked again: `initialize` may be
 * repeated until it has succeeded. So is one that answers with any other error, without the offer of a login in a terminal.
 */
async function initialize(
  peer: Peer,
  introduction: Introduction,
  signal: AbortSignal,
  report: DiagnosticListener,
): Promise<{ readonly offered: readonly ProtocolVersion[]; readonly result: unknown }> {
  const { offered, params, paramsWithoutLogin, dialect, sendCall } = introduction;
  try {
    const result = await sendCall('initialize', params(offered), (wire) =>
      peer.request('initialize', wire, { signal }),
    );
    return { offered, result };
  } catch (error) {
    const newest = Math.max(...offered);
    const supported = versionsIn(error);
    const namesNone = supported?.length === 0 || isRefusedAsWrong(error);
    const older = offered.find((version) => version < newest && (namesNone || supported?.includes(version)));
    if (older !== undefined && dialect === undefined) {
      const reason = namesNone
        ? 'without naming the versions that it supports'
        : `and supports version ${older}`;
      const message = `The agent refused protocol version ${newest} ${reason}. Version ${older} was offered as well, and the agent was asked again for it.`;
      report(warning('protocol.dialect', message));
      return initialize(peer, { ...introduction, offered: [older] }, signal, report);
    }
    if (!paramsWithoutLogin || supported || !(error instanceof RemoteError)) throw error;
    const message = `The agent answered initialize, which offers a login in a terminal, with an error. It was asked again without this offer. It said: ${error.agentMessage}`;
    report(warning('protocol.offer_refused', message));
    const others = { params: paramsWithoutLogin, paramsWithoutLogin: undefined };
    return initialize(peer, { ...introduction, ...others }, signal, report);
  }
}

/** Whether the agent refused the parameters of `initialize`. Some agents of version 1 do so when version 2 is offered. */
function isRefusedAsWrong(error: unknown): boolean {
  return error instanceof RemoteError && error.rpcCode === rpcCodes.invalidParams;
}

/** The versions that the agent supports, if it refused the version of `initialize`. */
function versionsIn(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof RemoteError) || error.rpcCode !== rpcCodes.unsupportedVersion) return undefined;
  const supported = isJsonObject(error.data) ? error.data['supported'] : undefined;
  return Array.isArray(supported) ? supported : [];
}

/** What an agent has said of itself. */
export type DescribedAgent = Omit<Link, 'peer' | 'agent' | 'hasDirectory' | 'program'>;

/** Reads what the answer to `initialize` says of the agent. */
export function describeAgent(dialect: Dialect, initializeResult: JsonObject): DescribedAgent {
  const { agentInfo, authMethods } = readInitialize(initializeResult);
  return {
    dialect,
    initializeResult,
    agentInfo,
    authMethods,
    capabilities: {
      agentName: agentInfo
        ? shortened(`${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`, 100)
        : 'the agent',
      explain: (feature) => explainFeature(feature, dialect.features, initializeResult),
      explainNamed: (name) => explainNamed(name, dialect, initializeResult),
    },
  };
}

/** The dialect of an agent that answered `initialize`. Throws if it has no version that was offered. */
export function selectDialect(
  result: JsonObject,
  offered: readonly ProtocolVersion[],
  report: DiagnosticListener,
): DialectName {
  const negotiated = negotiate(result, offered);
  if (!negotiated.dialect) throw noCommonVersion(offered, [result['protocolVersion']]);
  const { dialect, mismatch, evidence } = negotiated;
  if (mismatch) report({ rule: 'protocol.dialect', severity: 'warning', message: mismatch });
  if (evidence) {
    const message = `The agent seems to follow an earlier draft of version 2: the dialect ${dialect} is assumed. ${evidence} The option dialect of connect overrides this.`;
    report({ rule: 'protocol.dialect_assumed', severity: 'info', message });
  }
  return dialect;
}

function noCommonVersion(
  offered: readonly number[],
  supported: readonly unknown[],
  cause?: unknown,
): UnsupportedVersionError {
  const answered = supported.map((version) => JSON.stringify(version) ?? 'none').join(', ') || 'none';
  const both = offered.filter((version) => supported.includes(version)).join(', ');
  const text = both
    ? `The agent contradicts itself: it names protocol version ${both}, which was offered, and does not speak it. The connection was closed. Update the agent.`
    : `The agent and this client have no protocol version in common: offered ${offered.join(', ')}, answered ${answered}. The connection was closed. Update the agent or the client.`;
  return new UnsupportedVersionError(text, { method: 'initialize', offered, supported, cause });
}

/** Maps the error of a failed attempt to connect to one that says who can act. */
function asConnectError(
  error: unknown,
  offered: readonly ProtocolVersion[],
  { exit }: TransportEnd,
): unknown {
  if (error instanceof TimeoutError) return withStderr(error, exit?.stderrTail ?? '');
  const supported = versionsIn(error);
  if (supported) return noCommonVersion(offered, supported, error);
  if (!(error instanceof ConnectionClosedError)) return error;
  // Nothing was connected yet that could have been closed: the program failed.
  if (AcpError.is(error.cause) && error.cause.code === 'agent.exit') return error.cause;
  if (!error.exit) return error;
  return new ExitError(error.message, { ...error.exit, method: 'initialize', cause: error.cause });
}

/** What the agent wrote to stderr often says what it waits for. */
function withStderr(error: TimeoutError, stderrTail: string): TimeoutError {
  const lines = lastLines(stderrTail);
  if (lines === '') return error;
  const { method, timeoutMs } = error;
  return new TimeoutError(`${error.message} The end of its stderr:\n${lines}`, { method, timeoutMs });
}

/** Which agent has shown that it follows the Preview of version 2, in which a prompt runs once for each key. */
export class KeyEvidence {
  #agent: string | undefined;

  /** The agent has marked the end of a replay, which agents that are older than the keys do not do. */
  note(link: Link): void {
    this.#agent = nameOf(link);
  }

  /** Whether this agent, or another process of the same name and version, has shown it. */
  isOf(link: Link): boolean {
    return this.#agent === nameOf(link);
  }
}

function nameOf({ agentInfo }: Link): string {
  return JSON.stringify([agentInfo?.name, agentInfo?.version]);
}
