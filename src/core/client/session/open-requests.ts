import { ConnectionClosedError } from '../../base/errors.ts';
import { deferred, onAbort } from '../../base/wait.ts';
import type { PendingPermission } from '../../model/permission.ts';
import type { AgentRequest } from '../../rpc/agent-requests.ts';
import type { SessionEvent } from './machine/events.ts';
import type { CancelReason, PendingRequest } from './machine/state.ts';
import { cancelTexts } from './machine/step.ts';

/** How a pending request ended: with what its handler returned, or with the reason why it was not waited for. */
export type RequestOutcome<T> = { readonly answer: T } | { readonly cancelled: CancelReason };

/** A request from the agent that waits for the user. */
export interface OpenRequest {
  /** Of a request that is not about a tool call, whose permission the conversation does not show. */
  readonly permission: PendingPermission | null;
  ask(): void;
  end(reason: CancelReason | 'handled'): void;
}

/**
 * Makes a request that asks the user. Its outcome is the answer or the reason why it is not waited for: the agent withdrew
 * the request (`signal`), the tool call ended, the user cancelled, or the session ended.
 *
 * @param dispatch - Passes an event to the session.
 * @param askUser - Called once, with a signal that is aborted when the answer is not waited for any more.
 */
export function openRequest<T>(
  { id, toolCallId, permission }: PendingRequest,
  { signal, hold }: Pick<AgentRequest, 'signal' | 'hold'>,
  dispatch: (event: SessionEvent) => void,
  askUser: (signal: AbortSignal) => Promise<T>,
): OpenRequest & { readonly outcome: Promise<RequestOutcome<T>> } {
  const control = new AbortController();
  const outcome = deferred<RequestOutcome<T>>();
  let settle = () => {};
  const stopListening = onAbort(signal, () => {
    const isOver = signal.reason instanceof ConnectionClosedError;
    dispatch({ type: 'request_withdrawn', id, reason: isOver ? 'closed' : 'withdrawn' });
  });
  return {
    outcome: outcome.promise.finally(stopListening),
    permission: toolCallId === null ? permission : null,
    ask() {
      const answered = (how: () => void) => {
        settle = how;
        dispatch({ type: 'request_answered', id });
      };
      const asked = askUser(control.signal);
      hold(asked);
      asked.then(
        (answer) => answered(() => outcome.resolve({ answer })),
        (error: unknown) => answered(() => outcome.reject(error)),
      );
    },
    end(reason) {
      if (reason === 'handled') return settle();
      control.abort(new DOMException(cancelTexts[reason], 'AbortError'));
      outcome.resolve({ cancelled: reason });
    },
  };
}
