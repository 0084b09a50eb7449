import { errorMessage, preview } from '../diagnostic.ts';
import type { ToolCallEntry } from '../model/conversation.ts';
import type { NormalizedPermission } from '../protocol/dialect.ts';
import type { HandlerContext, PermissionOutcome } from './handlers.ts';
import type { ServeContext } from './serve.ts';

const cancelled: PermissionOutcome = { outcome: 'cancelled' };

/**
 * Puts a permission request to the user, and answers only what was offered. Whatever goes wrong, no permission is
 * given: no handler, a handler that throws, an answer that is no option, a user who cancelled.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
 */
export async function askPermission(
  lifted: NormalizedPermission,
  context: ServeContext,
): Promise<PermissionOutcome> {
  const { live, handlers, signal, report } = context;
  const { description, options, subject } = lifted;
  // Before the first await: the request's changes to the tool call stand where the wire has them.
  if (lifted.toolCall) live.fold(lifted.toolCall);
  const toolCallId = lifted.toolCall?.toolCallId ?? toolCallOf(subject);
  const known = toolCallId === null ? null : entryOf(context, toolCallId);
  // Version 1 has no title of the request's own, and agents do not repeat the tool call's.
  const title = lifted.title ?? known?.title ?? null;
  const { requestPermission } = handlers;
  if (!requestPermission) return cancelled;
  if (toolCallId !== null) {
    live.questions.withdrawFor(toolCallId, 'superseded');
    live.fold({
      sessionUpdate: 'permission_update',
      toolCallId,
      permission: { title, description, options },
    });
  }
  const ask = async (withdrawn: AbortSignal): Promise<PermissionOutcome> => {
    await Promise.resolve();
    const handlerContext: HandlerContext = { session: context.session, signal: withdrawn };
    const toolCall = toolCallId === null ? null : entryOf(context, toolCallId);
    try {
      return await requestPermission.call(
        handlers,
        { title, description, toolCall, subject, options },
        handlerContext,
      );
    } catch (error) {
      const said = errorMessage(error);
      const message = `requestPermission threw: ${said}. The request was answered cancelled.`;
      report({ rule: 'handler.failed', severity: 'error', message });
      return cancelled;
    }
  };
  const asking = live.questions.ask(toolCallId, signal, ask);
  live.turns.showActivity();
  const asked = await asking;
  // A newer request about the same tool call has put its own question in this one's place.
  const superseded = 'withdrawn' in asked && asked.withdrawn === 'superseded';
  if (toolCallId !== null && !superseded) {
    live.fold({ sessionUpdate: 'permission_update', toolCallId, permission: null });
  }
  live.turns.showActivity();
  return 'withdrawn' in asked ? cancelled : offered(asked.answer, lifted, context);
}

function offered(
  outcome: PermissionOutcome,
  { options }: NormalizedPermission,
  context: ServeContext,
): PermissionOutcome {
  if (outcome?.outcome === 'selected' && options.some(({ optionId }) => optionId === outcome.optionId)) {
    return { outcome: 'selected', optionId: outcome.optionId };
  }
  if (outcome?.outcome !== 'cancelled') {
    const ids = options.map(({ optionId }) => optionId).join(', ');
    const message = `requestPermission answered ${preview(outcome)}, which was not offered (${ids}). The request was answered cancelled.`;
    context.report({ rule: 'handler.invalid_answer', severity: 'error', message });
  }
  return cancelled;
}

function toolCallOf(subject: NormalizedPermission['subject']): string | null {
  const id = subject && 'toolCallId' in subject ? subject.toolCallId : null;
  return typeof id === 'string' ? id : null;
}

function entryOf({ live }: ServeContext, toolCallId: string): ToolCallEntry | null {
  const entry = live.conversation.entries.find(
    (candidate) => candidate.kind === 'toolCall' && candidate.toolCallId === toolCallId,
  );
  return entry?.kind === 'toolCall' ? entry : null;
}
