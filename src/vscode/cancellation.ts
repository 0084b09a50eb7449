import type { VsCodeCancellationToken } from './api.ts';

/**
 * An `AbortSignal` that is aborted when VS Code cancels the token, for `prompt` and other calls.
 *
 * @example
 * ```ts
 * await session.prompt('Explain this file.', { signal: toAbortSignal(token) });
 * ```
 */
export function toAbortSignal(token: VsCodeCancellationToken): AbortSignal {
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
