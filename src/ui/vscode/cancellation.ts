import type { VsCodeEvent } from './api.ts';

/**
 * An `AbortSignal` that is aborted when VS Code cancels the `CancellationToken`, for `prompt` and other calls.
 *
 * @example
 * ```ts
 * await session.prompt('Explain this file.', { signal: toAbortSignal(token) });
 * ```
 */
export function toAbortSignal(token: {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: VsCodeEvent<unknown>;
}): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else {
    const listener = token.onCancellationRequested(() => {
      listener.dispose();
      controller.abort();
    });
  }
  return controller.signal;
}
