import * as v from 'valibot';
import type { DiagnosticListener } from '../diagnostic.ts';
import { issuesIn } from '../issue.ts';
import { isJsonObject } from '../json.ts';
import type { Dialect } from '../protocol/dialect.ts';
import type { ClientFeatures } from '../protocol/negotiate.ts';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';
import { elicit } from './elicitation.ts';
import type { ClientHandlers, HandlerContext, TerminalHandlers } from './handlers.ts';
import type { LiveSession } from './live-session.ts';
import { askPermission } from './permissions.ts';
import { notOffered, wrongParameters } from './refusals.ts';
import type { Session } from './session.ts';

/** What serving a request takes. */
export interface ServeContext {
  readonly handlers: ClientHandlers;
  readonly dialect: Dialect;
  readonly live: LiveSession;
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly report: DiagnosticListener;
}

/** What the client can do, from the handlers it was given: what is handled is what is advertised. */
export function featuresOf(handlers: ClientHandlers, terminalLogin: boolean): ClientFeatures {
  return {
    readTextFile: handlers.readTextFile !== undefined,
    writeTextFile: handlers.writeTextFile !== undefined,
    terminals: handlers.terminals !== undefined,
    terminalLogin,
    elicitForm: handlers.elicit?.form !== undefined,
    elicitUrl: handlers.elicit?.url !== undefined,
  };
}

/** A request of the agent's that belongs to a session. */
interface Service {
  isOffered(handlers: ClientHandlers): boolean;
  serve(method: string, params: unknown, context: ServeContext): Promise<unknown>;
}

/** A service that one of the editor's handlers carries out, with what the dialect's schema made of the parameters. */
function service<P>(
  isOffered: (handlers: ClientHandlers) => boolean,
  handle: (params: P, context: ServeContext) => unknown,
): Service {
  return {
    isOffered,
    async serve(method, params, context) {
      const input = read(method, params, context.dialect);
      // Beside the read loop: what the handler does before its own first await holds up nobody.
      await Promise.resolve();
      return unlessWithdrawn(method, context.signal, async () =>
        // The schema is the one of this method, and so is the type that the handler asks for.
        answered(method, await handle(input as P, context), context),
      );
    },
  };
}

function terminal(
  handle: (terminals: TerminalHandlers, request: { terminalId: string }, context: HandlerContext) => unknown,
): Service {
  return service<{ terminalId: string }>(
    ({ terminals }) => terminals !== undefined,
    ({ terminalId }, context) => handle(terminalsOf(context), { terminalId }, handlerContext(context)),
  );
}

function terminalsOf({ handlers }: ServeContext): TerminalHandlers {
  if (!handlers.terminals) throw notOffered('terminal/*');
  return handlers.terminals;
}

/** What is served, by the method on the wire. Which of it exists in a version, the dialect's own table says. */
const services: Readonly<Record<string, Service>> = {
  // NormalizedUpdate and folded before the first await, so that the tool call stands where the wire has it; and a request that
  // is withdrawn has an answer of its own.
  'session/request_permission': {
    isOffered: () => true,
    async serve(method, params, context) {
      const lifted = context.dialect.normalizePermission(params);
      if (!('options' in lifted)) throw wrongParameters(method, lifted);
      return { outcome: await askPermission(lifted, context) };
    },
  },
  'fs/read_text_file': service<{ path: string; line?: number | null; limit?: number | null }>(
    ({ readTextFile }) => readTextFile !== undefined,
    ({ path, line, limit }, context) =>
      context.handlers.readTextFile?.(
        { path, ...(line != null && { line }), ...(limit != null && { limit }) },
        handlerContext(context),
      ),
  ),
  'fs/write_text_file': service<{ path: string; content: string }>(
    ({ writeTextFile }) => writeTextFile !== undefined,
    async ({ path, content }, context) => {
      await context.handlers.writeTextFile?.({ path, content }, handlerContext(context));
      return {};
    },
  ),
  'terminal/create': service<{
    command: string;
    args?: string[] | null;
    env?: { name: string; value: string }[] | null;
    cwd?: string | null;
    outputByteLimit?: number | null;
  }>(
    ({ terminals }) => terminals !== undefined,
    ({ command, args, env, cwd, outputByteLimit }, context) => {
      const request = {
        command,
        args: args ?? [],
        env: env ?? [],
        cwd: cwd ?? null,
        outputByteLimit: outputByteLimit ?? null,
      };
      return terminalsOf(context).create(request, handlerContext(context));
    },
  ),
  'terminal/output': terminal((terminals, { terminalId }, context) =>
    terminals.output({ terminalId }, context),
  ),
  'terminal/wait_for_exit': terminal((terminals, { terminalId }, context) =>
    terminals.waitForExit({ terminalId }, context),
  ),
  'terminal/kill': terminal(async (terminals, { terminalId }, context) => {
    await terminals.kill({ terminalId }, context);
    return {};
  }),
  'terminal/release': terminal(async (terminals, { terminalId }, context) => {
    await terminals.release({ terminalId }, context);
    return {};
  }),
};

function handlerContext({ session, signal }: ServeContext): HandlerContext {
  return { session, signal };
}

/** What a connection lends to the serving of its agent's requests. */
export interface Serving {
  readonly handlers: ClientHandlers;
  readonly report: DiagnosticListener;
  /** The ids of the questions by URL that may still be completed outside. */
  readonly openUrls: Set<string>;
  /** Absent until `initialize` is answered. */
  readonly dialect: Dialect | undefined;
  /** The session with this id; waited for while one is being opened. */
  find(sessionId: string): LiveSession | undefined | Promise<LiveSession | undefined>;
  handleOf(live: LiveSession): Session;
}

/** Requests that belong to no session, or not to one alone. */
const sessionless: Readonly<
  Record<string, (params: unknown, signal: AbortSignal, serving: Serving) => Promise<unknown>>
> = {
  'elicitation/create': elicit,
  'mcp/message': passMcpMessage,
};

/** Serves one request of the agent's. Always answers: what nobody handles is refused with the code that says so. */
export async function serve(
  method: string,
  params: unknown,
  signal: AbortSignal,
  serving: Serving,
): Promise<unknown> {
  const { handlers, dialect, report } = serving;
  if (!dialect) {
    throw new RequestError(rpcCodes.invalidRequest, `${method} came before initialize was answered.`);
  }
  if (!Object.hasOwn(dialect.clientMethods, method)) return extend(method, params, signal, serving);
  if (Object.hasOwn(sessionless, method)) return sessionless[method]?.(params, signal, serving);
  const found = Object.hasOwn(services, method) ? services[method] : undefined;
  if (!found?.isOffered(handlers)) throw notOffered(method);
  const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
  const lookup = typeof sessionId === 'string' ? serving.find(sessionId) : undefined;
  // A session that is known is served before the first await, so that what the request changes is folded in order.
  const live = lookup instanceof Promise ? await lookup : lookup;
  if (!live) {
    report({
      rule: 'protocol.unknown_session',
      severity: 'warning',
      message: `The agent called ${method} for a session that is not open here: ${JSON.stringify(sessionId)}.`,
    });
    throw new RequestError(rpcCodes.notFound, 'There is no such session.', { sessionId: String(sessionId) });
  }
  return found.serve(method, params, {
    handlers,
    dialect,
    live,
    session: serving.handleOf(live),
    signal,
    report,
  });
}

function read(method: string, params: unknown, dialect: Dialect): unknown {
  const schema = dialect.clientMethods[method]?.params;
  if (!schema) throw notOffered(method);
  const parsed = v.safeParse(schema, params);
  if (parsed.success) return parsed.output;
  throw wrongParameters(method, issuesIn(parsed.issues, 'params'));
}

/** What a handler answered, if the protocol has such an answer: in JavaScript it may be anything. */
function answered(
  method: string,
  answer: unknown,
  { dialect, report }: Pick<ServeContext, 'dialect' | 'report'>,
): unknown {
  const schema = dialect.clientMethods[method]?.result;
  if (!schema) return answer;
  const parsed = v.safeParse(schema, answer);
  if (parsed.success) return parsed.output;
  // What stands there may be a file of the user's: it is not repeated.
  const wrong = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the whole').join(', ');
  report({
    rule: 'handler.invalid_answer',
    severity: 'error',
    message: `The handler of ${method} answered what the protocol has not: look at ${wrong}. The agent was told of an error.`,
  });
  throw new RequestError(rpcCodes.internalError, `The client failed to handle ${method}.`);
}

async function passMcpMessage(
  params: unknown,
  signal: AbortSignal,
  { handlers, dialect, report }: Serving,
): Promise<unknown> {
  const { mcpMessage } = handlers;
  if (!mcpMessage || !dialect) throw notOffered('mcp/message');
  // The schema of the method is what the handler's parameter says.
  const message = read('mcp/message', params, dialect) as Parameters<typeof mcpMessage>[0];
  await Promise.resolve();
  return unlessWithdrawn('mcp/message', signal, async () =>
    answered('mcp/message', await mcpMessage.call(handlers, message, { signal }), { dialect, report }),
  );
}

async function extend(
  method: string,
  params: unknown,
  signal: AbortSignal,
  serving: Serving,
): Promise<unknown> {
  const handler = extensionOf(serving.handlers, method);
  if (!handler) {
    serving.report({
      rule: 'rpc.unknown_request',
      severity: 'info',
      message: `The agent called ${method}, which nobody handles here. It was answered with error -32601.`,
    });
    throw notOffered(method);
  }
  const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
  const live = typeof sessionId === 'string' ? await serving.find(sessionId) : undefined;
  await Promise.resolve();
  const context = { session: live && serving.handleOf(live), signal };
  return unlessWithdrawn(method, signal, async () => handler(params, context));
}

/** The handler of an extension method. Only what the editor wrote itself counts, whatever the agent calls. */
export function extensionOf(handlers: ClientHandlers, method: string) {
  const { extensions } = handlers;
  if (!extensions || !Object.hasOwn(extensions, method)) return undefined;
  return extensions[method as `_${string}`];
}

/** A request that was withdrawn is answered at once, and what its handler does then is nobody's business. */
function unlessWithdrawn<T>(method: string, signal: AbortSignal, handle: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const withdraw = () => reject(new RequestError(rpcCodes.cancelled, `${method} was withdrawn.`));
    if (signal.aborted) return withdraw();
    signal.addEventListener('abort', withdraw, { once: true });
    handle()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', withdraw));
  });
}
