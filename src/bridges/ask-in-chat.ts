import type { ClientHandlers, PermissionOutcome } from '../client/requests/handlers.ts';
import type { Session } from '../client/session/session.ts';
import type { PermissionOption } from '../model/permission.ts';
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

/** The requests of a session that wait, by their ids, and who listens. */
const desks = new WeakMap<Session, Desk>();

interface Desk {
  readonly waiting: Map<
    string,
    { readonly question: ChatQuestion; settle(outcome: PermissionOutcome): void }
  >;
  readonly listeners: Set<() => void>;
}

function deskOf(session: Session): Desk {
  const desk = desks.get(session) ?? { waiting: new Map(), listeners: new Set() };
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
  new Promise<PermissionOutcome>((resolve) => {
    const desk = deskOf(session);
    const id = permissionId(options);
    const settle = (outcome: PermissionOutcome) => {
      if (!desk.waiting.delete(id)) return;
      resolve(outcome);
      changed();
    };
    const changed = () => {
      for (const listener of desk.listeners) listener();
    };
    const withdraw = () => settle({ outcome: 'cancelled' });
    // The signal is that of this request alone.
    signal.addEventListener('abort', withdraw);
    const question = {
      id,
      toolCallKey: subagent ? null : (toolCall?.key ?? null),
      title: title ?? toolCall?.title ?? null,
      description,
      options,
      subagent: subagent ? (subagent.title ?? subagent.sessionId) : null,
    };
    desk.waiting.set(id, { question, settle });
    if (signal.aborted) withdraw();
    else changed();
  });

/** The requests of a session that wait for {@link askInChat}. */
export function chatQuestions(session: Session): readonly ChatQuestion[] {
  return [...deskOf(session).waiting.values()].map(({ question }) => question);
}

/** Answers a request that waits. Without effect if it does not wait any more. */
export function answerQuestion(session: Session, id: string, optionId: string | null): void {
  const outcome: PermissionOutcome =
    optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
  deskOf(session).waiting.get(id)?.settle(outcome);
}

/** Calls `listener` when a request begins or ceases to wait. Returns the function that removes it. */
export function onChatQuestions(session: Session, listener: () => void): () => void {
  const { listeners } = deskOf(session);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
