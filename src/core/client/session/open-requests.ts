import { ConnectionClosedError } from '../../base/errors.ts';
import { deferred, onAbort } from '../../base/wait.ts';
import type { PendingPermission } from '../../model/permission.ts';
import type { AgentRequest } from '../../rpc/agent-requests.ts';
import type { SessionEvent } from './machine/events.ts';
import type { CancelReason, PendingRequest } from './machine/state.ts';
import { cancelTexts } from './machine/step.ts';

/** How a pending request ended: with what its handler returned, or with the reason why it was not waited for. */
export type RequestOutcome<T> = { readonly answer: T } | { readonly cancelled: CancelReason };

interface OpenRequest {
  /** Of a request that is not about a tool call, whose permission the conversation does not show. */
  readonly permission: PendingPermission | null;
  ask(): void;
  end(reason: CancelReason | 'handled'): void;
}

/** The requests from the agent that wait for the user, by the ids that their events have. */
export class OpenRequests {
  readonly #requests = new Map<string, OpenRequest>();
  #count = 0;

  /**
   * Asks the user, and resolves with the answer or with the reason why it is not waited for: the agent withdrew the
   * request (`signal`), the tool call ended, the user cancelled, or the session ended.
   *
   * @param dispatch - Passes an event to the session.
   * @param ask - Called once, with a signal that is aborted when the answer is not waited for any more.
   */
  open<T>(
    request: Omit<PendingRequest, 'id'>,
    { signal, hold }: Pick<AgentRequest, 'signal' | 'hold'>,
    dispatch: (event: SessionEvent) => void,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<RequestOutcome<T>> {
    const id = `request:${++this.#count}`;
    const control = new AbortController();
    const outcome = deferred<RequestOutcome<T>>();
    let settle = () => {};
    this.#requests.set(id, {
      permission: request.toolCallId === null ? request.permission : null,
      ask: () => {
        const answered = (how: () => void) => {
          settle = how;
          dispatch({ type: 'request_answered', id });
        };
        const asked = ask(control.signal);
        hold(asked);
        asked.then(
          (answer) => answered(() => outcome.resolve({ answer })),
          (error: unknown) => answered(() => outcome.reject(error)),
        );
      },
      end: (reason) => {
        if (reason === 'handled') return settle();
        control.abort(new DOMException(cancelTexts[reason], 'AbortError'));
        outcome.resolve({ cancelled: reason });
      },
    });
    const stopListening = onAbort(signal, () => {
      const isOver = signal.reason instanceof ConnectionClosedError;
      dispatch({ type: 'request_withdrawn', id, reason: isOver ? 'closed' : 'withdrawn' });
    });
    dispatch({ type: 'request', request: { id, ...request } });
    return outcome.promise.finally(stopListening);
  }

  /** What the user is asked, where the conversation does not show it. */
  permission(id: string): PendingPermission | null {
    return this.#requests.get(id)?.permission ?? null;
  }

  ask(id: string): void {
    this.#requests.get(id)?.ask();
  }

  end(id: string, reason: CancelReason | 'handled'): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    request?.end(reason);
  }
}
