import { type DiagnosticListener, listenerFailed, preview, warning } from '../../base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { AuthStatus } from '../../protocol/calls.ts';
import type { ClientFeatures } from '../../protocol/negotiate.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import type { PeerListener } from '../../rpc/incoming.ts';
import { RequestError } from '../../rpc/request-error.ts';
import { endMark, isChannelNote } from '../../trace/notes.ts';
import type { ProvidedServers } from '../session/provided-servers.ts';
import type { SessionRegistry } from '../session/registry.ts';
import { missingHandlers, notOffered, type RequestService } from './context.ts';
import type { elicitationService } from './elicitation.ts';
import { type ClientHandlers, metaOf } from './handlers.ts';
import {
  authStatusOf,
  authStatusOfExtension,
  notificationCalls,
  unknownNotifications,
} from './notifications.ts';
import { requestPermission } from './permission.ts';
import { extension, mcpMessageService, notifyExtension, readTextFile, writeTextFile } from './services.ts';
import type { TerminalServices } from './terminals.ts';

/** What the client can do for the agent beside what its handlers do. */
type Abilities = Pick<ClientFeatures, 'terminalLogin' | 'promptSuggestions' | 'cursors' | 'skills'>;

/** What the client can do for the agent: capabilities are advertised from the handlers. */
export function featuresOf(handlers: ClientHandlers, abilities: Abilities): ClientFeatures {
  return {
    readTextFile: handlers.readTextFile !== undefined,
    writeTextFile: handlers.writeTextFile !== undefined,
    terminals: handlers.terminals !== undefined,
    ...abilities,
    elicitForm: handlers.elicit?.form !== undefined,
    elicitUrl: handlers.elicit?.url !== undefined,
  };
}

/** What a request is about, with the id of the tool call, which each version has in another place. */
export function aboutOf({ subject, toolCall = Object(subject).toolCall, ...params }: JsonObject): object {
  return { ...Object(toolCall), ...params };
}

/** The handlers of methods whose code is not loaded without them, by the beginning of the method. */
const unserved: Readonly<Record<string, string>> = { elicitation: 'elicit', terminal: 'terminals' };

/** What the agent's messages are passed to. */
export type MessageRouter = ReturnType<typeof createMessageRouter>;

interface RouterOptions {
  readonly registry: SessionRegistry;
  readonly handlers: ClientHandlers;
  readonly report: DiagnosticListener;
  /** Records each message. */
  readonly record: PeerListener['onMessage'];
  /** Absent where the editor runs no terminals. */
  readonly terminals: TerminalServices | undefined;
  /** Absent where the editor asks the user nothing. */
  readonly elicitationService: typeof elicitationService | undefined;
  readonly servers: ProvidedServers;
}

/** Routes the agent's messages: updates to their session, requests and notifications to the handlers. */
export function createMessageRouter(options: RouterOptions) {
  const { registry, handlers, report, record, terminals, servers } = options;
  const closing = new AbortController();
  const elicitation = options.elicitationService?.(closing.signal);
  const callBesideReading = notificationCalls(report);
  const unknown = unknownNotifications(report);
  const missing = missingHandlers(report);
  const services: Readonly<Record<string, RequestService>> = {
    'session/request_permission': requestPermission,
    ...(elicitation && { 'elicitation/create': elicitation.service }),
    'fs/read_text_file': readTextFile,
    'fs/write_text_file': writeTextFile,
    'mcp/message': mcpMessageService(servers),
    ...terminals?.services,
  };
  const tellAuthStatus = (status: AuthStatus | undefined, params: JsonObject) =>
    status && handlers.authStatusChanged?.(status, metaOf(params));
  const notifications: Readonly<Record<string, (params: JsonObject) => unknown>> = {
    'elicitation/complete': (params) => elicitation?.complete(handlers, params),
    'auth/status_update': (params) => tellAuthStatus(authStatusOf(params), params),
    // Without a handler it is reported as any extension.
    ...(handlers.authStatusChanged && {
      '_auth/status_update': (params: JsonObject) => tellAuthStatus(authStatusOfExtension(params), params),
    }),
  };

  /** Serves a request. What is not handled is refused with the error code that says so. */
  const serve: PeerListener['onRequest'] = async (request) => {
    const { method, params } = request;
    const { dialect } = registry;
    if (!dialect) {
      throw new RequestError(rpcCodes.invalidRequest, `${method} came before initialize was answered.`);
    }
    const isKnown = Object.hasOwn(dialect.clientMethods, method);
    const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
    // Also if it is refused: it shows that the agent works.
    if (typeof sessionId === 'string') registry.worked(sessionId, aboutOf(Object(params)));
    const service = isKnown ? (Object.hasOwn(services, method) ? services[method] : undefined) : extension;
    if (!service?.isOffered(handlers)) {
      const handler = service?.handler ?? unserved[method.split('/')[0] ?? ''];
      if (handler) missing.refused(handler, method, rpcCodes.methodNotFound);
      throw notOffered(method);
    }
    // Before the first await, so that what the request changes is folded in the order of the wire.
    const registered = typeof sessionId === 'string' ? registry.find(sessionId) : undefined;
    if (service.needsSession && !registered) {
      const message = `The agent called ${method} for the session ${JSON.stringify(sessionId)}, which is not open here.`;
      report(warning('protocol.unknown_session', message));
      throw new RequestError(rpcCodes.notFound, 'There is no such session.', {
        sessionId: String(sessionId),
      });
    }
    const answer = service.serve({ ...request, handlers, dialect, report, missing, registered });
    registered?.runner.pauseStallWhile(answer);
    return answer;
  };

  const notify = (method: string, params: unknown): void => {
    const isUnderstood = registry.dialect !== undefined && registry.takeNotice(method, params);
    const known = Object.hasOwn(notifications, method) ? notifications[method] : undefined;
    const handler =
      notifyExtension(handlers, registry, method, params) ??
      (known && (() => known(isJsonObject(params) ? params : {})));
    if (handler) return callBesideReading(method, handler);
    if (!isUnderstood && !method.startsWith('$/')) unknown.take(method, params);
  };

  const listener: PeerListener = {
    onUpdate: (params) => {
      if (registry.dialect) return registry.receive(params);
      const message = 'The agent sent an update before it answered initialize. It was dropped.';
      report({ rule: 'protocol.unknown_session', severity: 'warning', message, received: preview(params) });
    },
    onNotification: notify,
    onRequest: serve,
    onDiagnostic: report,
    onEnd: (end) => {
      record?.('in', endMark(end));
      unknown.finish();
      void terminals?.releaseAll();
      void servers.releaseAll();
    },
    // A reader takes such a message for a note of the client.
    onMessage:
      record &&
      ((dir, message) => (dir === 'in' && isChannelNote(message) ? undefined : record(dir, message))),
  };

  return {
    listener,
    /** Cancels what waits for the user outside of a session, because the editor closes the connection. */
    cancelRequests(): void {
      closing.abort();
      servers.interruptAll();
      unknown.finish();
    },
    /** Releases all terminals, because the connection has ended for good. Never rejects. */
    async closeTerminals(): Promise<void> {
      // The handlers need not have `close`. A `release` that hangs does not delay it.
      const released = terminals?.releaseAll();
      try {
        await handlers.terminals?.close?.();
      } catch (error) {
        listenerFailed('terminals.close', report, 'handler.failed')(error);
      }
      await Promise.all([released, servers.releaseAll()]);
    },
  };
}
