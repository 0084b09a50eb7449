import * as v from 'valibot';
import { preview } from '../../base/diagnostic.ts';
import type { ValidationIssue } from '../../base/errors.ts';
import { listed } from '../../base/issue.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { onAbort, withLimits } from '../../base/wait.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import { type RequestContext, type RequestService, wrongParameters } from './context.ts';
import { formIssues } from './form-answer.ts';
import {
  type ClientHandlers,
  type ElicitationAnswer,
  type ElicitationContext,
  type ElicitationRequest,
  metaOf,
} from './handlers.ts';

const method = 'elicitation/create';
const cancelled: ElicitationAnswer = { action: 'cancel' };

/** Presents a request to the user. In JavaScript a handler can return anything. */
type Present = (request: ElicitationRequest, context: ElicitationContext) => Promise<unknown>;

/** How a request is presented; `undefined` where the editor does not offer its mode. */
function presentationOf({ elicit = {} }: ClientHandlers, params: JsonObject): Present | undefined {
  const { mode, requestedSchema, url, elicitationId } = params;
  if (mode === 'form' && elicit.form && isJsonObject(requestedSchema))
    return async (request, context) => elicit.form?.({ ...request, requestedSchema }, context);
  if (mode === 'url' && elicit.url && typeof url === 'string' && typeof elicitationId === 'string')
    return async (request, context) => elicit.url?.({ ...request, url, elicitationId }, context);
  return undefined;
}

/**
 * Asks the user for information. A mode that was not advertised is refused, and an unknown mode is never presented as a
 * known one.
 *
 * @param closing - Aborted when the editor closes the connection: requests outside of a session are then cancelled.
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export function elicitationService(closing: AbortSignal) {
  /** The requests by URL that can still be completed outside, by their id. An agent can ask again under one id. */
  const openUrls = new Map<string, JsonObject>();

  async function serve(context: RequestContext): Promise<ElicitationAnswer> {
    const { params, handlers, missing } = context;
    if (!isJsonObject(params) || typeof params['message'] !== 'string') {
      throw wrongParameters(method, [{ path: 'message', message: 'is missing' }]);
    }
    const { mode, elicitationId } = params;
    const present = presentationOf(handlers, params);
    if (!present) {
      if ((mode === 'form' || mode === 'url') && !handlers.elicit?.[mode]) {
        missing.refused(`elicit.${mode}`, `${method} with the mode ${mode}`, rpcCodes.invalidParams);
      }
      const message = `${JSON.stringify(mode)} is not offered by this client, or a parameter of it is missing`;
      throw wrongParameters(method, [{ path: 'mode', message }]);
    }
    const openUrl = mode === 'url' && typeof elicitationId === 'string' ? elicitationId : undefined;
    if (openUrl !== undefined) openUrls.set(openUrl, params);
    let answer = cancelled;
    try {
      answer = await ask(context, params, present);
    } finally {
      // What the user did not accept is not completed.
      const isLatest = openUrl !== undefined && openUrls.get(openUrl) === params;
      if (isLatest && answer.action !== 'accept') openUrls.delete(openUrl);
    }
    return answer;
  }

  async function ask(
    context: RequestContext,
    params: JsonObject,
    present: Present,
  ): Promise<ElicitationAnswer> {
    const { registered, signal, hold } = context;
    const request = requestOf(params);
    const askUser = (withdrawn: AbortSignal) =>
      present(request, { session: registered?.session, signal: withdrawn, ...metaOf(params) });
    if (registered) {
      const about = { kind: 'elicitation', toolCallId: request.toolCallId, permission: null } as const;
      const outcome = await registered.runner.request(about, context, askUser);
      return 'answer' in outcome ? checkAnswer(outcome.answer, params, context) : cancelled;
    }
    const control = new AbortController();
    const abort = () => control.abort(new DOMException('The request was cancelled.', 'AbortError'));
    const stops = [signal, closing].map((each) => onAbort(each, abort));
    if (signal.aborted || closing.aborted) abort();
    try {
      const asked = askUser(control.signal);
      hold(asked);
      return checkAnswer(await withLimits(asked, { signal: control.signal }), params, context);
    } catch (error) {
      if (control.signal.aborted) return cancelled;
      throw error;
    } finally {
      for (const stop of stops) stop();
    }
  }

  const service: RequestService = {
    isOffered: ({ elicit }) => elicit?.form !== undefined || elicit?.url !== undefined,
    handler: 'elicit',
    needsSession: false,
    serve,
  };

  /** The user completed a request in the browser. A request that is not open is ignored. */
  function complete({ elicit }: ClientHandlers, params: JsonObject): unknown {
    const { elicitationId } = params;
    const isOpen = typeof elicitationId === 'string' && openUrls.delete(elicitationId);
    return isOpen ? elicit?.completed?.(elicitationId, metaOf(params)) : undefined;
  }

  return { service, complete };
}

function requestOf({ message, toolCallId, requestId }: JsonObject): ElicitationRequest {
  return {
    message: String(message),
    toolCallId: typeof toolCallId === 'string' ? toolCallId : null,
    requestId: typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null,
  };
}

/** The answer as the protocol and the form define it; otherwise `cancel`. */
function checkAnswer(
  answer: unknown,
  request: JsonObject,
  { dialect, report }: RequestContext,
): ElicitationAnswer {
  const action = isJsonObject(answer) ? answer['action'] : undefined;
  if (action === 'decline' || action === 'cancel') return { action };
  const schema = dialect.clientMethods[method]?.result;
  const read =
    action === 'accept' && isJsonObject(answer) && schema && readAccepted(answer['content'], schema, request);
  if (read && 'action' in read) return read;
  const what = read
    ? // What the user filled in may be a secret, so it is not repeated.
      `accepted with content that does not match the form: ${listed(read)}`
    : `returned ${preview(answer)}`;
  report({
    rule: 'handler.invalid_answer',
    severity: 'error',
    message: `The handler of ${method} ${what}. The request was answered cancel. Return { action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }; content holds strings, numbers, booleans and lists of strings, as the form defines them.`,
  });
  return cancelled;
}

/** The answer with the content of the form, or what is wrong with the content. */
function readAccepted(
  content: unknown,
  schema: v.GenericSchema,
  { mode, requestedSchema }: JsonObject,
): ElicitationAnswer | readonly ValidationIssue[] {
  const accepted = v.safeParse(schema, { action: 'accept', ...(content !== undefined && { content }) });
  if (!accepted.success) {
    return accepted.issues.map((issue) => ({
      path: v.getDotPath(issue) ?? 'content',
      message: 'has a type that an answer cannot have',
    }));
  }
  const form = mode === 'form' && isJsonObject(requestedSchema) ? requestedSchema : {};
  const issues = formIssues(form, isJsonObject(content) ? content : {});
  // The schema has just checked that this is such an answer.
  return issues.length === 0 ? (accepted.output as ElicitationAnswer) : issues;
}
