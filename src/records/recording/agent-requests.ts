import * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { commandLine } from '../../core/base/shell-line.ts';
import { aboutOf } from '../../core/client/requests/index.ts';
import { findTerminal, findToolCall } from '../../core/conversation/select.ts';
import type { ClientTerminalUpdate } from '../../core/model/client-update.ts';
import type { ConversationTerminal } from '../../core/model/conversation.ts';
import { idKey } from './recorded-message.ts';
import type { FoldContext, SessionFold } from './session-fold.ts';

/** A request from the agent that the client has not answered. */
interface OpenRequest {
  readonly session: SessionFold;
  readonly method: string;
  readonly params: JsonObject;
}

/** The parameters of `terminal/create`, as the schema of the dialect reads them. */
interface Command {
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly cwd?: string | null;
}

/** The requests of a recorded agent that a conversation shows: questions, and the terminals of the client. */
export class AgentRequests {
  readonly #context: FoldContext;
  readonly #open = new Map<string, OpenRequest>();

  constructor(context: FoldContext) {
    this.#context = context;
  }

  /** The agent asks. */
  take(session: SessionFold, { id: wireId, method }: JsonObject, params: JsonObject): void {
    const id = idKey(wireId);
    session.dispatch({ type: 'worked', about: aboutOf(params) });
    this.#open.set(id, { session, method: String(method), params });
    if (method === 'session/request_permission') this.#askPermission(session, id, params);
    if (method !== 'elicitation/create') return;
    const toolCallId = typeof params['toolCallId'] === 'string' ? params['toolCallId'] : null;
    session.dispatch({ type: 'request', request: { id, kind: 'elicitation', toolCallId, permission: null } });
  }

  #askPermission(session: SessionFold, id: string, params: JsonObject): void {
    const normalized = this.#context.dialect.normalizePermission(params);
    if (!('options' in normalized)) return;
    const { title, description, options, subject, toolCall } = normalized;
    const named = subject?.['toolCallId'];
    const toolCallId = typeof named === 'string' ? named : null;
    if (toolCallId !== null) {
      const asked = { sessionUpdate: 'tool_call_update', toolCallId, ...toolCall, asks: true } as const;
      session.dispatch({ type: 'update', update: asked });
    }
    const asking = toolCallId === null ? undefined : findToolCall(session.conversation, toolCallId);
    const permission = { title: title ?? asking?.title ?? null, description, options };
    session.dispatch({ type: 'request', request: { id, kind: 'permission', toolCallId, permission } });
  }

  /** The agent takes its request back. */
  withdrawn(wireId: unknown): void {
    const id = idKey(wireId);
    this.#open.get(id)?.session.dispatch({ type: 'request_withdrawn', id, reason: 'withdrawn' });
  }

  /** The client answers. */
  answered({ id: wireId, result }: JsonObject): void {
    const id = idKey(wireId);
    const request = this.#open.get(id);
    this.#open.delete(id);
    request?.session.dispatch({ type: 'request_answered', id });
    // Without a result the client has refused the request, and nothing happened.
    const update = request && isJsonObject(result) && this.#terminalUpdate(request, result);
    if (update) request.session.dispatch({ type: 'terminal', update });
    if (request?.method === 'terminal/output' && isJsonObject(result)) {
      const ended = exited(request, result['exitStatus']);
      if (ended) request.session.dispatch({ type: 'terminal', update: ended });
    }
  }

  /** What an answer shows of a terminal of the client. */
  #terminalUpdate(request: OpenRequest, result: JsonObject): ClientTerminalUpdate | undefined {
    const { method, params } = request;
    const terminalId = String(params['terminalId']);
    const { output, truncated } = result;
    if (method === 'terminal/create') return this.#started(params, result['terminalId']);
    if (method === 'terminal/output' && typeof output === 'string')
      return { sessionUpdate: 'terminal_read', terminalId, output, truncated: truncated === true };
    if (method === 'terminal/wait_for_exit') return exited(request, result);
    return method === 'terminal/release' ? exited(request, {}) : undefined;
  }

  #started(params: JsonObject, terminalId: unknown): ClientTerminalUpdate | undefined {
    const schema = this.#context.dialect.clientMethods['terminal/create']?.params;
    const read = schema && v.safeParse(schema, params);
    if (typeof terminalId !== 'string' || !read?.success) return undefined;
    // The schema is the one of this method.
    const { command, args: given, cwd = null } = read.output as Command;
    const args = given ?? [];
    return {
      sessionUpdate: 'terminal_started',
      terminalId,
      command: commandLine(command, args),
      argv: args.length === 0 ? null : [command, ...args],
      cwd,
    };
  }
}

/** A command of the client has ended. Of several reports, the first one counts. */
function exited({ session, params }: OpenRequest, status: unknown): ClientTerminalUpdate | undefined {
  const terminal = findTerminal(session.conversation, String(params['terminalId']));
  return terminal && isJsonObject(status) ? terminalExit(terminal, status) : undefined;
}

/** How a terminal ended, if it is one of the client that runs. */
export function terminalExit(
  { terminalId, owner, exitStatus }: ConversationTerminal,
  { exitCode, signal }: JsonObject,
): ClientTerminalUpdate | undefined {
  if (owner !== 'client' || exitStatus) return undefined;
  return {
    sessionUpdate: 'terminal_exited',
    terminalId,
    exitStatus: {
      exitCode: typeof exitCode === 'number' ? exitCode : null,
      signal: typeof signal === 'string' ? signal : null,
    },
  };
}
