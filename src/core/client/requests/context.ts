import * as v from 'valibot';
import type { Diagnostic, DiagnosticListener } from '../../base/diagnostic.ts';
import type { ValidationIssue } from '../../base/errors.ts';
import { issuesIn, listed } from '../../base/issue.ts';
import type { JsonObject } from '../../base/json.ts';
import { withLimits } from '../../base/wait.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import type { ClientMethod } from '../../protocol/method.ts';
import type { AgentRequest } from '../../rpc/agent-requests.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import { RequestError } from '../../rpc/request-error.ts';
import type { RegisteredSession } from '../session/runner.ts';
import { type ClientHandlers, type HandlerContext, metaOf } from './handlers.ts';

/** A request from the agent, with what is needed to serve it. */
export interface RequestContext extends AgentRequest {
  readonly handlers: ClientHandlers;
  readonly dialect: Dialect;
  readonly report: DiagnosticListener;
  readonly missing: MissingHandlers;
  /** The session that the parameters name, where it is open. */
  readonly registered: RegisteredSession | undefined;
}

/** How one method of the agent is served. */
export interface RequestService {
  /** Whether the editor handles it. A method that is not offered is answered with error -32601. */
  isOffered(handlers: ClientHandlers): boolean;
  /** What the handler is called in the option `handlers` of `connect`. */
  readonly handler: string;
  /** Whether the parameters must name an open session. */
  readonly needsSession: boolean;
  serve(context: RequestContext): Promise<unknown>;
}

/** The session of a request whose service needs one. */
export function sessionOf({ registered }: RequestContext): RegisteredSession {
  if (!registered) throw new TypeError('unreachable: the service needs a session');
  return registered;
}

/** The context of a handler that belongs to a session. */
export function handlerContext(context: RequestContext): HandlerContext {
  const { session, subagent } = sessionOf(context);
  return { session, signal: context.signal, ...(subagent && { subagent }), ...metaOf(context.params) };
}

/** The answer to a request that this client does not serve. */
export function notOffered(method: string): RequestError {
  return new RequestError(rpcCodes.methodNotFound, `This client does not offer ${method}.`);
}

/** The answer to a request whose parameters do not match the protocol. */
export function wrongParameters(method: string, issues: readonly ValidationIssue[]): RequestError {
  return new RequestError(rpcCodes.invalidParams, `${method} has wrong parameters: ${listed(issues)}.`, {
    issues: issues.map(({ path, message }): JsonObject => ({ path, message })),
  });
}

/**
 * Runs a handler of the editor for a request: with parameters that match the schema, beside the read loop, and with an
 * answer that matches the schema. A request that is withdrawn is answered at once; what its handler returns later is
 * ignored.
 */
export async function runHandler<P>(
  context: RequestContext,
  handle: (params: P) => unknown,
): Promise<unknown> {
  const { method, dialect } = context;
  const descriptor = dialect.clientMethods[method];
  if (!descriptor) throw notOffered(method);
  const parsed = v.safeParse(descriptor.params, context.params);
  if (!parsed.success) throw wrongParameters(method, issuesIn(parsed.issues, 'params'));
  await Promise.resolve();
  // The schema is the one of this method, and so is the parameter type of its handler.
  const handled = handleUnlessWithdrawn(context, async () => handle(parsed.output as P));
  const answer = await handled.catch((error: unknown) => {
    throw inAgentPaths(error, descriptor);
  });
  return descriptor.result ? checkAnswer(context, descriptor.result, answer) : answer;
}

/** The error of a handler with the agent's paths, where the agent sees other ones than the editor. */
function inAgentPaths(error: unknown, { writeFailure }: ClientMethod): unknown {
  if (!writeFailure || !RequestError.is(error)) return error;
  const { message, data } = writeFailure(error);
  return new RequestError(error.code, message, data);
}

/** Runs a handler, and answers with error -32800 as soon as the request is withdrawn. */
export async function handleUnlessWithdrawn<T>(
  { method, signal, hold }: AgentRequest,
  handle: () => Promise<T>,
): Promise<T> {
  const withdrawn = () => new RequestError(rpcCodes.cancelled, `${method} was withdrawn.`);
  if (signal.aborted) throw withdrawn();
  const handled = handle();
  hold(handled);
  try {
    return await withLimits(handled, { signal });
  } catch (error) {
    throw signal.aborted ? withdrawn() : error;
  }
}

/** In JavaScript a handler can return anything. */
function checkAnswer({ method, report }: RequestContext, schema: v.GenericSchema, answer: unknown): unknown {
  const parsed = v.safeParse(schema, answer);
  if (parsed.success) return parsed.output;
  // The value may be a file of the user, so it is not repeated.
  const wrong = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the result').join(', ');
  report({
    rule: 'handler.invalid_answer',
    severity: 'error',
    message: `The handler of ${method} returned a value that does not match the protocol: check ${wrong}. The agent got an error.`,
  });
  throw new RequestError(rpcCodes.internalError, `The client failed to handle ${method}.`);
}

/**
 * Reports requests of the agent for which the editor has no handler: once for each handler in a connection. A handler
 * has the name of the option in `handlers` of `connect`.
 */
export function missingHandlers(report: DiagnosticListener) {
  const reported = new Set<string>();
  const once = (handler: string, severity: Diagnostic['severity'], message: string) => {
    if (!reported.has(handler)) report({ rule: 'handler.missing', severity, message });
    reported.add(handler);
  };
  return {
    /** The user should have answered a request. The agent takes the answer for the user's. */
    unasked(handler: string, what: string): void {
      const message = `${what}, and there is no handler ${handler}. The request was answered cancelled, as each further one will be. Pass handlers with ${handler} to connect.`;
      once(handler, 'warning', message);
    },
    /** A request was refused with an error, because the client did not advertise it. The agent continues without it. */
    refused(handler: string, request: string, code: number): void {
      const message = `The agent sent ${request}, which this client does not advertise, because there is no handler ${handler}. It was answered with error ${code}. If the agent may do this, pass handlers with ${handler} to connect.`;
      once(handler, 'info', message);
    },
  };
}

export type MissingHandlers = ReturnType<typeof missingHandlers>;
