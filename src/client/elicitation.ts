import * as v from 'valibot';
import { preview } from '../diagnostic.ts';
import type { Issue } from '../errors.ts';
import { listed } from '../issue.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { formIssues } from './form-answer.ts';
import type {
  ClientHandlers,
  ElicitationAnswer,
  ElicitationContext,
  ElicitationRequest,
} from './handlers.ts';
import { Questions } from './questions.ts';
import { notOffered, wrongParameters } from './refusals.ts';
import type { Serving } from './serve.ts';

const cancelled: ElicitationAnswer = { action: 'cancel' };

/** Gives what the handler answers, which TypeScript does not see where it is called from JavaScript. */
type Put = (request: ElicitationRequest, context: ElicitationContext) => Promise<unknown>;

/** How each mode is put to the user, or nothing where the editor does not offer it. */
const modes: Readonly<Record<string, (handlers: ClientHandlers, params: JsonObject) => Put | undefined>> = {
  form: ({ elicit }, { requestedSchema }) =>
    elicit?.form && isJsonObject(requestedSchema)
      ? async (request, context) => elicit.form?.({ ...request, requestedSchema }, context)
      : undefined,
  url: ({ elicit }, { url, elicitationId }) =>
    elicit?.url && typeof url === 'string' && typeof elicitationId === 'string'
      ? async (request, context) => elicit.url?.({ ...request, url, elicitationId }, context)
      : undefined,
};

/**
 * Puts a question of the agent's to the user. A mode that was not advertised is refused, and an unknown one is
 * never shown as one that is known.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export async function elicit(
  params: unknown,
  signal: AbortSignal,
  serving: Serving,
): Promise<ElicitationAnswer> {
  const { handlers } = serving;
  if (!handlers.elicit?.form && !handlers.elicit?.url) {
    throw notOffered('elicitation/create');
  }
  if (!isJsonObject(params) || typeof params['message'] !== 'string') {
    throw wrongParameters('elicitation/create', [{ path: 'message', message: 'is missing' }]);
  }
  const { mode, message, sessionId, toolCallId, requestId } = params;
  const put =
    typeof mode === 'string' && Object.hasOwn(modes, mode) ? modes[mode]?.(handlers, params) : undefined;
  if (!put) {
    throw wrongParameters('elicitation/create', [
      {
        path: 'mode',
        message: `${JSON.stringify(mode)} is not offered by this client, or lacks what it needs`,
      },
    ]);
  }
  const live = typeof sessionId === 'string' ? await serving.find(sessionId) : undefined;
  const questions = live?.questions ?? new Questions();
  const request: ElicitationRequest = {
    message,
    toolCallId: typeof toolCallId === 'string' ? toolCallId : null,
    requestId: typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null,
  };
  const asking = questions.ask(request.toolCallId, signal, (withdrawn) =>
    put(request, { session: live && serving.handleOf(live), signal: withdrawn }),
  );
  live?.turns.showActivity();
  const { elicitationId } = params;
  const openUrl = mode === 'url' && typeof elicitationId === 'string' ? elicitationId : undefined;
  if (openUrl !== undefined) serving.openUrls.add(openUrl);
  let answer = cancelled;
  try {
    const asked = await asking;
    if (!('withdrawn' in asked)) answer = valid(asked.answer, params, serving);
  } finally {
    // What the user did not agree to will not be completed.
    if (openUrl !== undefined && answer.action !== 'accept') serving.openUrls.delete(openUrl);
    live?.turns.showActivity();
  }
  return answer;
}

/** The answer as the protocol and the form have it, or `cancel` where it is none. */
function valid(answer: unknown, request: JsonObject, { dialect, report }: Serving): ElicitationAnswer {
  const action = isJsonObject(answer) ? answer['action'] : undefined;
  if (action === 'decline' || action === 'cancel') return { action };
  const schema = dialect?.clientMethods['elicitation/create']?.result;
  const accepted = action === 'accept' && isJsonObject(answer) && schema;
  const read = accepted && readAccepted(answer['content'], schema, request);
  if (read && 'action' in read) return read;
  const said = read
    ? // What the user filled in may be a secret, and is not repeated.
      `accepted with what the form does not ask for: ${listed(read)}`
    : `answered ${preview(answer)}`;
  report({
    rule: 'handler.invalid_answer',
    severity: 'error',
    message: `The handler of elicitation/create ${said}. The question was answered cancel. Answer with { action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }; content holds texts, numbers, booleans and lists of texts, as the form asks for them.`,
  });
  return cancelled;
}

/** The answer with what was filled in, or what is wrong with that. */
function readAccepted(
  content: unknown,
  schema: v.GenericSchema,
  { mode, requestedSchema }: JsonObject,
): ElicitationAnswer | readonly Issue[] {
  const accepted = v.safeParse(schema, { action: 'accept', ...(content !== undefined && { content }) });
  if (!accepted.success) {
    return accepted.issues.map((issue) => ({
      path: v.getDotPath(issue) ?? 'content',
      message: 'is of no type that an answer can have',
    }));
  }
  const asked = mode === 'form' && isJsonObject(requestedSchema) ? requestedSchema : {};
  const issues = formIssues(asked, isJsonObject(content) ? content : {});
  // The schema has just said that this is such an answer.
  return issues.length === 0 ? (accepted.output as ElicitationAnswer) : issues;
}
