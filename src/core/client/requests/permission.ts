import {
  type Diagnostic,
  type DiagnosticListener,
  errorMessage,
  preview,
  warning,
} from '../../base/diagnostic.ts';
import { findToolCall } from '../../conversation/select.ts';
import type { PermissionOption } from '../../model/permission.ts';
import type { NormalizedPermission } from '../../protocol/normalize.ts';
import {
  handlerContext,
  type RequestContext,
  type RequestService,
  sessionOf,
  wrongParameters,
} from './context.ts';
import type { PermissionOutcome } from './handlers.ts';

const cancelled: PermissionOutcome = { outcome: 'cancelled' };

/**
 * Asks the user for a permission, and answers only with an option that the agent offered. No permission is given
 * without a handler, if the handler throws or returns another value, or if the request is cancelled.
 *
 * The tool call of the request is folded before the first `await`, so that it is in the order of the wire.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
 */
export const requestPermission: RequestService = {
  isOffered: () => true,
  handler: 'requestPermission',
  needsSession: true,
  async serve(context: RequestContext) {
    const { method, params, dialect } = context;
    const normalized = dialect.normalizePermission(params);
    if (!('options' in normalized)) throw wrongParameters(method, normalized);
    return { outcome: await askPermission(normalized, context) };
  },
};

async function askPermission(
  permission: NormalizedPermission,
  context: RequestContext,
): Promise<PermissionOutcome> {
  const { handlers, report, missing } = context;
  const { runner } = sessionOf(context);
  const { description, options, subject } = permission;
  const named = subject?.['toolCallId'];
  const toolCallId = typeof named === 'string' ? named : null;
  const asked = toolCallId === null ? null : ({ sessionUpdate: 'tool_call_update', toolCallId } as const);
  if (asked) runner.dispatch({ type: 'update', update: { ...asked, ...permission.toolCall, asks: true } });
  const entry = () =>
    (toolCallId === null ? undefined : findToolCall(runner.conversation, toolCallId)) ?? null;
  // A request of version 1 has no title, and agents do not repeat the one of the tool call.
  const title = permission.title ?? entry()?.title ?? null;
  const { requestPermission } = handlers;
  if (!requestPermission) {
    missing.unasked('requestPermission', 'The agent asked for permission');
    return cancelled;
  }
  reportRepeatedIds(options, report);
  const ask = async (withdrawn: AbortSignal): Promise<GivenAnswer> => {
    // Before another request with the same id arrives.
    const toolCall = entry();
    await Promise.resolve();
    const request = { title, description, toolCall, subject, options };
    try {
      const handling = handlerContext({ ...context, signal: withdrawn });
      return readOnce(await requestPermission.call(handlers, request, handling));
    } catch (error) {
      const message = `requestPermission failed: ${errorMessage(error)}. The request was answered cancelled.`;
      // A handler that gives up because the answer is not waited for has not failed.
      if (!withdrawn.aborted) report({ rule: 'handler.failed', severity: 'error', message });
      return { answer: cancelled, ...cancelled };
    }
  };
  const about = { kind: 'permission', toolCallId, permission: { title, description, options } } as const;
  const outcome = await runner.request(about, context, ask);
  if ('cancelled' in outcome) return cancelled;
  const given = outcome.answer;
  const chosen = options.find(({ optionId }) => optionId === given.optionId);
  if (given.outcome === 'selected' && chosen) return { outcome: 'selected', optionId: chosen.optionId };
  if (given.outcome !== 'cancelled') report(invalidAnswer(given.answer, options));
  return cancelled;
}

function invalidAnswer(answer: unknown, options: readonly PermissionOption[]): Diagnostic {
  const ids = options.map(({ optionId }) => preview(optionId)).join(', ');
  const offered = options.length === 0 ? 'The agent offered no option' : `The agent offered ${ids}`;
  const message = `requestPermission returned ${preview(answer)}, and the request was answered cancelled. ${offered}. Return { outcome: 'selected', optionId } or an id alone, or { outcome: 'cancelled' }.`;
  return { rule: 'handler.invalid_answer', severity: 'error', message };
}

/** What a handler returned, which can be anything in JavaScript. */
interface GivenAnswer {
  readonly answer: unknown;
  readonly outcome?: unknown;
  readonly optionId?: unknown;
}

/** Reads each field once: a getter could return another option after the first one was checked. */
function readOnce(answer: unknown): GivenAnswer {
  if (typeof answer === 'string') return { answer, outcome: 'selected', optionId: answer };
  const { outcome, optionId }: Partial<GivenAnswer> = Object(answer);
  return { answer, outcome, optionId };
}

/** The agent cannot tell which of two options with one id the user chose. */
function reportRepeatedIds(options: readonly PermissionOption[], report: DiagnosticListener): void {
  const ids = new Set<string>();
  const repeated = new Set<string>();
  for (const { optionId } of options) (ids.has(optionId) ? repeated : ids).add(optionId);
  if (repeated.size === 0) return;
  const message = `The agent asked for a permission with several options of the same id: ${[...repeated].join(', ')}. The agent cannot tell which of them the user chooses.`;
  report(warning('protocol.malformed_request', message, options));
}
