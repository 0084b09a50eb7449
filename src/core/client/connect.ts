import * as v from 'valibot';
import { type Diagnostic, type DiagnosticListener, preview } from '../base/diagnostic.ts';
import { InvalidParamsError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import {
  abortSignal,
  callback,
  checkOptions,
  hasMethods,
  oneOf,
  optional,
  optionsObject,
  readInput,
  timeoutMs,
} from '../base/options.ts';
import { SentSecrets } from '../base/secrets.ts';
import type { Implementation } from '../model/session.ts';
import type { FindAgent } from '../protocol/agent-knowledge.ts';
import type { DialectName } from '../protocol/dialect.ts';
import {
  type ClientCapabilityOptions,
  initializeParams,
  newerCapabilities,
  type ProtocolVersion,
  versionOf,
} from '../protocol/negotiate.ts';
import { isPathMap, type PathMap } from '../protocol/path-map.ts';
import { jsonObject } from '../protocol/vocabulary.ts';
import type { PeerListener } from '../rpc/incoming.ts';
import { channelNote } from '../trace/notes.ts';
import type { Trace } from '../trace/trace.ts';
import { closeTransport, type Transport } from '../transport/transport.ts';
import { type AgentSource, assertTransport, isTransport, startAgent } from './agent-source.ts';
import { Caller } from './calls/calls.ts';
import { establish, type Introduction } from './calls/link.ts';
import { Login } from './calls/login.ts';
import { type CallMeta, callSender, type SendCall } from './calls/outgoing-calls.ts';
import type { AuthRequiredHandler, ClientConnection } from './connection.ts';
import { loadParts } from './connection-parts.ts';
import { printDiagnostics, rateLimitDiagnostics } from './diagnostics.ts';
import { OpenConnection } from './open-connection.ts';
import { type ReconnectOptions, ReconnectSchema } from './reconnect.ts';
import { type ClientHandlers, HandlersSchema } from './requests/handlers.ts';
import { createMessageRouter, featuresOf } from './requests/index.ts';
import { ProvidedServers } from './session/provided-servers.ts';
import { SessionRegistry } from './session/registry.ts';

/** Options of {@link connect}. An unknown option is refused. */
export interface ConnectOptions {
  /** Name and version of the editor. */
  readonly clientInfo: Implementation;
  /**
   * Sent as the `_meta` of the `initialize` request.
   *
   * @see https://agentclientprotocol.com/protocol/extensibility
   */
  readonly meta?: JsonObject | undefined;
  /**
   * Returns what is added to the `_meta` of a call to the agent, such as a W3C trace context. It is called just before
   * a request or a notification is written, also for `initialize` and for the calls that open the sessions again after
   * a restart. A key that the call has already keeps its value. If the function throws, or returns something other than
   * an object, the call is sent without an addition, and the diagnostic `subscriber.failed` says so. Default: nothing
   * is added.
   *
   * @see https://agentclientprotocol.com/rfds/meta-propagation
   */
  readonly callMeta?: CallMeta | undefined;
  /**
   * Sent with the client capabilities. Keys of `_meta` replace those that are sent by default. Other members are
   * capabilities that this library does not know, such as `{ session: { budgets: {} } }`: they are added at their place,
   * in each version that is offered, and the diagnostic `protocol.newer_capability` names them. A capability that the
   * library knows is refused here: it is advertised for what `handlers` and the other options serve. Default: none.
   */
  readonly clientCapabilities?: ClientCapabilityOptions | undefined;
  /** Handlers for requests from the agent. Default: none; permission requests are answered `cancelled`. */
  readonly handlers?: ClientHandlers | undefined;
  /** The protocol versions to offer. Default: `[2, 1]`. */
  readonly protocolVersions?: readonly ProtocolVersion[] | undefined;
  /** Uses this dialect instead of the one that the agent's answer indicates. */
  readonly dialect?: DialectName | undefined;
  /**
   * The directories that the agent sees under other paths, because it runs in WSL, in a container or on another host.
   * What the protocol defines as a path, or as a URI of a file, then has the editor's form in this API, and the agent's
   * form in the messages and in `trace`. In an error of a handler, the paths of its data are converted, and the same
   * paths in its message. Other texts, command lines, `_meta` and extension methods are not changed. Default: both see
   * the same paths.
   *
   * @see {@link pathMap}
   */
  readonly paths?: PathMap | undefined;
  /**
   * What becomes of an update of a kind that this library does not know: an entry of the kind `unknown` in the
   * conversation, or nothing. {@link Session.onUpdate} gets it in both cases. Default: `entry`, so that nothing that the
   * agent says is lost.
   */
  readonly unknownUpdates?: 'entry' | 'drop' | undefined;
  /**
   * Whether the editor can run the agent's program, or a program that the agent names, in a terminal for a login. Only
   * for an agent that this machine runs. Default: `false`.
   */
  readonly terminalLogin?: boolean | undefined;
  /**
   * Whether the editor shows the prompts that the agent predicts. They are in `conversation.suggestions`.
   * An agent may call a model for it, so it is not asked for by default. Default: `false`.
   *
   * @experimental
   * @see https://agentclientprotocol.com/rfds/prompt-suggestions
   */
  readonly promptSuggestions?: boolean | undefined;
  /**
   * Whether an agent of version 1 is asked for the positions at which a session can be copied. They are in
   * `conversation.cursors`, and {@link ClientConnection.forkSession} takes one. Agents of version 2 send them unasked.
   * Default: `false`.
   *
   * @experimental
   * @see https://agentclientprotocol.com/rfds/session-cursors
   */
  readonly cursors?: boolean | undefined;
  /**
   * Whether the editor shows the skills of an agent of version 2 and invokes them with a block of a prompt. They are in
   * `conversation.commands`, with the type `skill`. Default: `false`, and the agent lists its skills as commands.
   *
   * @experimental
   * @see https://agentclientprotocol.com/rfds/agent-skills
   */
  readonly skills?: boolean | undefined;
  /**
   * Asks the user to log in when the agent refuses a call because a login is required. The call is then sent again. The
   * user is asked once for all calls that wait. A call that you make during the login, such as one of this function,
   * does not wait for it: if the agent refuses the call, it rejects with an {@link AuthRequiredError}.
   */
  readonly onAuthRequired?: AuthRequiredHandler | undefined;
  /**
   * Starts the agent again after it ended unexpectedly, or reaches a remote one again, and continues the open sessions.
   * Pass `connect` a function that starts the agent, or makes the transport. A single session that a remote agent lost is
   * opened again too. See `resendPrompts` for open prompts. Default: none of this.
   */
  readonly reconnect?: ReconnectOptions | undefined;
  /**
   * Milliseconds without output of the agent, on stdout or stderr, until the attempt is given up because the agent has
   * not answered `initialize`. Default: 120,000, because a package manager can be silent while it downloads a large
   * package.
   */
  readonly initializeIdleTimeoutMs?: number | undefined;
  /**
   * Milliseconds in total for the agent to answer `initialize`, whatever it writes meanwhile. Default: 300,000, or
   * `initializeIdleTimeoutMs` if that is greater.
   */
  readonly initializeTotalTimeoutMs?: number | undefined;
  /**
   * Milliseconds without a message from the agent during a turn, after which the diagnostic `session.stalled` is
   * reported. Time in which a request from the agent waits for an answer does not count. The turn continues. Default:
   * 60,000.
   */
  readonly stallAfterMs?: number | undefined;
  /** Aborting cancels the attempt and ends the agent. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Receives problems that no promise reports. Default: the first warning or error of each rule goes to `console.warn`,
   * for each connection. Pass a function that does nothing to drop them.
   */
  readonly onDiagnostic?: DiagnosticListener | undefined;
  /** Records the traffic, by default without secrets. Default: nothing is recorded. */
  readonly trace?: Trace | undefined;
}

/** The name and version of the editor. */
export const clientInfoOption = v.custom<Implementation>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'name') === 'string' &&
    typeof Reflect.get(value, 'version') === 'string',
  "must name the editor, as in { name: 'my-editor', version: '1.0.0' }",
);

const ConnectSchema = optionsObject({
  clientInfo: clientInfoOption,
  meta: optional(jsonObject),
  callMeta: optional(callback),
  clientCapabilities: optional(
    v.custom<ClientCapabilityOptions>(
      (value) => isJsonObject(value) && (value['_meta'] === undefined || isJsonObject(value['_meta'])),
      ({ input }) => `must be an object, and its _meta too; got ${preview(input)}`,
    ),
  ),
  handlers: optional(HandlersSchema),
  protocolVersions: optional(
    v.custom<readonly ProtocolVersion[]>(
      (value) => Array.isArray(value) && value.length > 0 && value.every((one) => one === 1 || one === 2),
      ({ input }) => `must be a list of 1, 2 or both; got ${preview(input)}`,
    ),
  ),
  dialect: optional(oneOf('v1', 'v2-markers', 'v2-baseline')),
  paths: optional(
    v.custom<PathMap>(isPathMap, ({ input }) => `must be what pathMap returned; got ${preview(input)}`),
  ),
  unknownUpdates: optional(oneOf('entry', 'drop')),
  terminalLogin: optional(v.boolean()),
  promptSuggestions: optional(v.boolean()),
  cursors: optional(v.boolean()),
  skills: optional(v.boolean()),
  onAuthRequired: optional(callback),
  reconnect: optional(ReconnectSchema),
  initializeIdleTimeoutMs: optional(timeoutMs),
  initializeTotalTimeoutMs: optional(timeoutMs),
  stallAfterMs: optional(timeoutMs),
  signal: optional(abortSignal),
  onDiagnostic: optional(callback),
  trace: optional(
    v.custom<Trace>(
      (value) => hasMethods(value, 'write'),
      ({ input }) => `must be an object with write, which takes each record; got ${preview(input)}`,
    ),
  ),
} satisfies { readonly [K in keyof Required<ConnectOptions>]: v.GenericSchema });

/** Connects to an agent. `agentOf` chooses what is known about it. */
export async function openConnection(
  agent: AgentSource,
  options: ConnectOptions,
  agentOf: FindAgent,
): Promise<ClientConnection> {
  let newer: readonly string[];
  let parts: Awaited<ReturnType<typeof loadParts>>;
  try {
    newer = readInput(() => checkConnect(agent, options));
    options.signal?.throwIfAborted();
    parts = await loadParts(options);
  } catch (error) {
    // What is wrong may be the listener for diagnostics.
    if (isTransport(agent)) await closeTransport(agent, () => {});
    throw error;
  }
  const { handlers = {}, trace, onAuthRequired, onDiagnostic } = options;
  const secrets = new SentSecrets();
  const { report, finish } = onDiagnostic
    ? rateLimitDiagnostics(onDiagnostic, secrets)
    : printDiagnostics(secrets);
  // A call is made only when the connection exists.
  const login =
    onAuthRequired &&
    new Login((method, reason) =>
      onAuthRequired({ method, reason, authMethods: connection.authMethods, connection }),
    );
  if (newer.length > 0) report(newerCapability(newer));
  const sendCall = callSender(secrets, report, options.callMeta);
  const caller = new Caller(report, secrets, sendCall, login);
  const terminals = handlers.terminals && parts.terminals?.terminalServices(handlers.terminals, report);
  const channelSecrets = new SentSecrets();
  const record = trace && parts.tracing?.tracer(trace, report, channelSecrets);
  const servers = new ProvidedServers(report, (): SessionRegistry => registry, record);
  const registry = new SessionRegistry({
    caller,
    report,
    stallAfterMs: options.stallAfterMs ?? 60_000,
    dropsUnknown: options.unknownUpdates === 'drop',
    servers,
    releaseTerminals: async (session) => terminals?.releaseAll(session),
    onTurnEnd: () => restarter?.reset(),
    onTurnCancelled: (sessionId, turnKey) => void terminals?.killLeft(sessionId, turnKey),
  });
  const elicitationService = parts.elicitation?.elicitationService;
  const served = { terminals, elicitationService, servers };
  const router = createMessageRouter({ registry, handlers, report, record, ...served });
  const introduction = introductionOf(options, agentOf, sendCall);
  // A session is lost only after the connection exists.
  const listener: PeerListener = {
    ...router.listener,
    onFault: (fault) => {
      if (fault.type === 'callFailed') return record?.('in', channelNote(fault));
      const canReturn = fault.canReturn && options.reconnect !== undefined;
      record?.('in', channelNote({ ...fault, canReturn }));
      connection.loseSession(fault);
    },
    onSecrets: (found) => {
      secrets.add(found);
      channelSecrets.add(found);
    },
  };
  let transport: Transport | undefined;
  const start = async (signal: AbortSignal | undefined) => {
    try {
      transport = await startAgent(agent, signal);
      return await establish(transport, introduction, listener, signal);
    } catch (error) {
      throw secrets.removeFromError(error);
    }
  };
  const link = await start(options.signal).catch((error: unknown) => {
    finish();
    throw error;
  });
  const startAgain = async (signal: AbortSignal) => {
    // Two agents must not work on one session.
    await transport?.confirmEnd?.(signal);
    return start(signal);
  };
  const isRemote = () => transport?.isRemote ?? false;
  const restarting = { start: startAgain, isRemote, report, registry, servers };
  const restarter =
    options.reconnect && parts.restarting && new parts.restarting.Restarter(options.reconnect, restarting);
  const connection: OpenConnection = new OpenConnection({
    link,
    caller,
    registry,
    router,
    servers,
    report,
    restarter,
  });
  void connection.terminalsClosed.finally(finish);
  return connection;
}

const bothVersions: readonly ProtocolVersion[] = [2, 1];

/** Returns the capabilities that the client advertises and this library does not know. */
function checkConnect(agent: unknown, options: ConnectOptions): readonly string[] {
  if (typeof agent !== 'function') assertTransport(agent);
  checkOptions('connect', ConnectSchema, options, 'Nothing was sent.');
  const { dialect, protocolVersions = bothVersions } = options;
  if (dialect !== undefined && !protocolVersions.includes(versionOf[dialect])) {
    const message = `connect: dialect ${JSON.stringify(dialect)} is of a version that protocolVersions ${JSON.stringify(protocolVersions)} excludes. Nothing was sent. Leave one of the two out.`;
    throw new InvalidParamsError(message);
  }
  const newer = newerCapabilities(options.protocolVersions ?? bothVersions, options.clientCapabilities);
  if (options.reconnect && typeof agent !== 'function') {
    const message =
      'connect: to reconnect, the agent must be started again: pass a function, as in connect(() => spawnAgent(…), …). Nothing was sent.';
    throw new InvalidParamsError(message);
  }
  return newer;
}

function newerCapability(paths: readonly string[]): Diagnostic {
  const message = `The client advertises ${paths.join(' and ')}, which this library does not know. What the agent sends for it arrives as a request or an update that the program handles itself.`;
  return { rule: 'protocol.newer_capability', severity: 'info', message };
}

function introductionOf(options: ConnectOptions, agentOf: FindAgent, sendCall: SendCall): Introduction {
  const { clientInfo, handlers = {}, terminalLogin = false, promptSuggestions = false } = options;
  const { cursors = false, skills = false } = options;
  const features = featuresOf(handlers, { terminalLogin, promptSuggestions, cursors, skills });
  const extras = { ...options, extensions: Object.keys(handlers.extensions ?? {}) };
  const paramsWith = (offering: typeof features) => (offered: readonly ProtocolVersion[]) =>
    initializeParams(offered, clientInfo, offering, extras);
  const { initializeIdleTimeoutMs: idleMs = 120_000 } = options;
  return {
    offered: options.protocolVersions ?? bothVersions,
    params: paramsWith(features),
    paramsWithoutLogin: terminalLogin ? paramsWith({ ...features, terminalLogin: false }) : undefined,
    dialect: options.dialect,
    paths: options.paths,
    agentOf,
    sendCall,
    timeout: { idleMs, totalMs: options.initializeTotalTimeoutMs ?? Math.max(300_000, idleMs) },
  };
}
