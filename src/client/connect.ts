import { type DiagnosticListener, errorMessage, preview } from '../diagnostic.ts';
import { InvalidParamsError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Implementation } from '../model/session.ts';
import type { DialectName } from '../protocol/dialect.ts';
import type { ProtocolVersion } from '../protocol/negotiate.ts';
import type { PeerListener } from '../rpc/peer.ts';
import { endMark } from '../trace/ended.ts';
import { type Trace, tracer } from '../trace/trace.ts';
import type { Transport } from '../transport/transport.ts';
import { assertAgent, assertConnect } from './connect-options.ts';
import { type AuthRequiredHandler, ClientConnection } from './connection.ts';
import type { ClientHandlers } from './handlers.ts';
import { establish, type Introduction } from './link.ts';
import { OpenTerminals } from './open-terminals.ts';
import { type ReconnectOptions, Restarter } from './reconnect.ts';
import { guardReports } from './report.ts';
import { extensionOf, featuresOf, serve } from './serve.ts';
import type { Sessions } from './sessions.ts';

/** How a client introduces itself to an agent, and what it does for it. A misspelt option is refused. */
export interface ConnectOptions {
  /** Who the editor is. */
  readonly clientInfo: Implementation;
  /** What the editor does for the agent. Default: nothing, and permissions are answered `cancelled`. */
  readonly handlers?: ClientHandlers;
  /** The versions to offer. Default: `[2, 1]`. */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /** Takes the agent to speak this dialect, whatever it answers. */
  readonly dialect?: DialectName;
  /** Says that the editor can run the agent's program in a terminal for the user to log in. Default: `false`. */
  readonly terminalLogin?: boolean;
  /** Asks the user to log in when the agent refuses a call for the lack of it; the call is then made once more. */
  readonly onAuthRequired?: AuthRequiredHandler;
  /**
   * Starts the agent again when it ends by itself, and goes on with the open sessions. Give `connect` a function
   * that starts the agent. A prompt that was under way rejects, and is never sent again. Default: it is not done.
   */
  readonly reconnect?: ReconnectOptions;
  /**
   * Milliseconds for the agent to answer `initialize`, counted from its last sign of life: whatever it writes, to
   * stderr too. Default: 120,000, for a package manager says nothing while it fetches a large package.
   */
  readonly initializeTimeoutMs?: number;
  /** Milliseconds for the agent to answer `initialize` in all. Default: 300,000, or `initializeTimeoutMs` if longer. */
  readonly initializeLimitMs?: number;
  /**
   * Milliseconds of a turn without a message from the agent, and without a request of its that is still to be
   * answered, after which the diagnostic `session.stalled` is given. The turn goes on. Default: 60,000.
   */
  readonly stallAfterMs?: number;
  /** Aborting gives up the attempt and ends the agent. */
  readonly signal?: AbortSignal;
  /** Takes what is wrong with the agent and nobody awaits. Default: it is dropped. */
  readonly onDiagnostic?: DiagnosticListener;
  /** Records the traffic, without its secrets unless it says otherwise. Default: nothing is recorded. */
  readonly trace?: Trace;
}

/**
 * Connects to an agent: sends `initialize`, finds out which dialect it speaks, and gives the connection. If that
 * fails, the transport is closed.
 *
 * @param agent - As from `spawnAgent`, or a function that starts one. It belongs to the connection from now on, and
 * serves no other.
 * @throws {@link InvalidParamsError} if an option is wrong, or the agent has had a connection before.
 * @throws {@link UnsupportedVersionError} if there is no common version.
 * @throws {@link SpawnError} or {@link ExitError} if the agent's program does not start, or ends first.
 * @throws {@link TimeoutError} if it does not answer in time.
 *
 * @example
 * ```ts
 * const connection = await connect(agent, { clientInfo: { name: 'my-editor', version: '1.0.0' } });
 * ```
 * @see https://agentclientprotocol.com/protocol/initialization
 */
export async function connect(
  agent: Transport | (() => Transport | Promise<Transport>),
  options: ConnectOptions,
): Promise<ClientConnection> {
  try {
    assertConnect(agent, options);
    options.signal?.throwIfAborted();
  } catch (error) {
    if (typeof agent !== 'function') await agent?.close?.();
    throw error;
  }
  const { handlers = {}, terminalLogin = false, initializeTimeoutMs: silenceMs = 120_000 } = options;
  const introduction: Introduction = {
    clientInfo: options.clientInfo,
    features: featuresOf(handlers, terminalLogin),
    offered: options.protocolVersions ?? [2, 1],
    dialect: options.dialect,
    patience: { silenceMs, limitMs: options.initializeLimitMs ?? Math.max(300_000, silenceMs) },
  };
  let connection: ClientConnection | undefined;
  const { report, finish } = guardReports(options.onDiagnostic);
  const record = options.trace && tracer(options.trace, report);
  const listener = listen(handlers, report, record, () => connection);
  const start = async (signal: AbortSignal | undefined) => {
    const transport = typeof agent === 'function' ? await agent() : agent;
    assertAgent(transport);
    assertFirst(transport);
    return establish(transport, introduction, listener, signal);
  };
  const link = await start(options.signal).catch((error: unknown) => {
    finish();
    throw error;
  });
  connection = ClientConnection.create({
    link,
    report,
    stallAfterMs: options.stallAfterMs ?? 60_000,
    onAuthRequired: options.onAuthRequired,
    restarter: options.reconnect && new Restarter(start, options.reconnect, report),
  });
  connection.closed
    .then(() => handlers.terminals?.close?.())
    .catch((error: unknown) => {
      const said = errorMessage(error);
      report({ rule: 'handler.failed', severity: 'error', message: `terminals.close failed: ${said}.` });
    })
    .finally(finish);
  return connection;
}

const served = new WeakSet<Transport>();

/** Two connections that read from one channel would each get a part of it. */
function assertFirst(transport: Transport): void {
  if (served.has(transport)) {
    throw new InvalidParamsError(
      'connect: this agent has, or had, a connection already. Nothing was sent. Start another one for each connection, and for each time that it is started again.',
    );
  }
  served.add(transport);
}

/** What the agent may tell, beside updates. */
const notifications: Readonly<
  Record<string, (handlers: ClientHandlers, params: JsonObject, openUrls: Set<string>) => void>
> = {
  'elicitation/complete': ({ elicit }, { elicitationId }, openUrls) => {
    // One that was never asked, or is done with, is to be passed over.
    if (typeof elicitationId === 'string' && openUrls.delete(elicitationId)) {
      elicit?.completed?.(elicitationId);
    }
  },
  'auth/status_update': (handlers, { state, accounts }) => {
    if (typeof state !== 'string') return;
    handlers.authStatusChanged?.({
      state,
      accounts: Array.isArray(accounts) ? accounts.filter(isJsonObject) : [],
    });
  },
};

/** What the agent's messages do. The connection is there once the agent has answered `initialize`. */
function listen(
  handlers: ClientHandlers,
  report: DiagnosticListener,
  onMessage: PeerListener['onMessage'],
  connection: () => ClientConnection | undefined,
): PeerListener {
  const openUrls = new Set<string>();
  const openTerminals = new OpenTerminals();
  return {
    onUpdate: (params) => {
      const sessions = connection()?.inbox;
      if (sessions) sessions.receive(params);
      else {
        const message = 'The agent sent an update before initialize was answered. It was dropped.';
        report({ rule: 'protocol.unknown_session', severity: 'warning', message, received: preview(params) });
      }
    },
    onNotification: (method, params) => {
      const known = Object.hasOwn(notifications, method) ? notifications[method] : undefined;
      if (known) callOut(method, () => known(handlers, isJsonObject(params) ? params : {}, openUrls));
      else notifyExtension(method, params);
    },
    onRequest: (method, params, signal) => {
      const sessions = connection()?.inbox;
      const answer = serve(method, params, signal, {
        handlers,
        report,
        openUrls,
        dialect: sessions?.dialect,
        find: (sessionId) => sessions?.find(sessionId),
        // Only a session that was found is asked for its handle.
        handleOf: (live) => (sessions as Sessions).handleOf(live),
      });
      sessions?.serve(params, answer);
      if (method.startsWith('terminal/')) followTerminal(method, params, answer);
      return answer;
    },
    onDiagnostic: report,
    onEnd: ({ exit }) => {
      onMessage?.('in', endMark(exit));
      if (handlers.terminals) void openTerminals.releaseAll(handlers.terminals, report);
    },
    onMessage,
  };

  function followTerminal(method: string, params: unknown, answer: Promise<unknown>): void {
    const sessions = connection()?.inbox;
    const sessionId = isJsonObject(params) ? String(params['sessionId']) : '';
    answer
      .then(async (result) => {
        const live = await sessions?.find(sessionId);
        if (live && sessions) openTerminals.answered(method, params, result, sessions.handleOf(live));
      })
      // Whoever asked was told.
      .catch(() => {});
  }

  function notifyExtension(method: string, params: unknown): void {
    const handler = extensionOf(handlers, method);
    if (handler) {
      const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
      const sessions = connection()?.inbox;
      callOut(method, async () => {
        const live = typeof sessionId === 'string' ? await sessions?.find(sessionId) : undefined;
        await handler(params, {
          session: live && sessions?.handleOf(live),
          signal: new AbortController().signal,
        });
      });
    } else if (!method.startsWith('$/')) {
      const message = `The agent sent the notification ${method}, which nobody handles here.`;
      report({ rule: 'rpc.unknown_notification', severity: 'info', message, received: preview(params) });
    }
  }

  /** Calls a handler of the editor's beside the read loop. */
  function callOut(method: string, handler: () => unknown): void {
    Promise.resolve()
      .then(handler)
      .catch((error: unknown) => {
        const said = errorMessage(error);
        report({
          rule: 'handler.failed',
          severity: 'error',
          message: `The handler of ${method} failed: ${said}.`,
        });
      });
  }
}
