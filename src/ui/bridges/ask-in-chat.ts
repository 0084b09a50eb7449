import { ListenerSet } from '../../core/base/listeners.ts';
import type { ClientHandlers, PermissionOutcome } from '../../core/client/requests/handlers.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { PermissionOption } from '../../core/model/permission.ts';
import { type Asked, QuestionDesk } from '../questions/desk.ts';
import { permissionId } from './permission-ids.ts';

/** A permission request that waits for a chat interface. */
export interface ChatQuestion {
  readonly id: string;
  /** The key of the tool call's entry. `null`: the request is not about a tool call of this conversation. */
  readonly toolCallKey: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly options: readonly PermissionOption[];
  /** The title or the id of the subagent that asks. `null`: the session itself asks. */
  readonly subagent: string | null;
}

interface Desk {
  readonly questions: QuestionDesk<
    PermissionOutcome,
    Asked<PermissionOutcome> & { readonly question: ChatQuestion }
  >;
  readonly listeners: ListenerSet<[]>;
}

const desks = new WeakMap<Session, Desk>();

function deskOf(session: Session): Desk {
  const known = desks.get(session);
  if (known) return known;
  // The listeners are those of the bridges, which do not throw.
  const listeners = new ListenerSet<[]>(() => {});
  const changed = () => listeners.notify();
  const desk: Desk = { questions: new QuestionDesk({ asked: changed, settled: changed }), listeners };
  desks.set(session, desk);
  return desk;
}

/**
 * The handler `requestPermission` for sessions that a chat interface shows: it waits for the answer that the user gives
 * there. A request is withdrawn when its turn is cancelled.
 *
 * @example
 * ```ts
 * const connection = await connect(agent, { clientInfo, handlers: { requestPermission: askInChat } });
 * ```
 */
export const askInChat: NonNullable<ClientHandlers['requestPermission']> = (
  { title, description, toolCall, options },
  { session, subagent, signal },
) =>
  deskOf(session).questions.ask({
    question: {
      id: permissionId(options),
      toolCallKey: subagent ? null : (toolCall?.key ?? null),
      title: title ?? toolCall?.title ?? null,
      description,
      options,
      subagent: subagent ? (subagent.title ?? subagent.sessionId) : null,
    },
    cancelled: { outcome: 'cancelled' },
    signal,
  });

/** The requests of a session that wait for {@link askInChat}. */
export function chatQuestions(session: Session): readonly ChatQuestion[] {
  return deskOf(session).questions.items.map(({ question }) => question);
}

/** Answers a request that waits. Without effect if it does not wait any more. */
export function answerQuestion(session: Session, id: string, optionId: string | null): void {
  const outcome: PermissionOutcome =
    optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
  deskOf(session).questions.settle(id, outcome);
}

/** Calls `listener` when a request begins or ceases to wait. Returns the function that removes it. */
export function onChatQuestions(session: Session, listener: () => void): () => void {
  return deskOf(session).listeners.add(listener);
}
