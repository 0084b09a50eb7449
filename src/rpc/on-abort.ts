interface Waiting {
  readonly listeners: Set<{ readonly call: () => void }>;
  readonly abort: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `listener` once when `signal` is aborted, and returns the way to stop. However many calls share a signal, it
 * has one listener of ours: Node prints a warning of a leak where it has more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  const { listeners, abort } = waiting.get(signal) ?? listen(signal);
  const entry = { call: listener };
  listeners.add(entry);
  return () => {
    if (!listeners.delete(entry) || listeners.size > 0) return;
    signal.removeEventListener('abort', abort);
    waiting.delete(signal);
  };
}

function listen(signal: AbortSignal): Waiting {
  const listeners: Waiting['listeners'] = new Set();
  const abort = () => {
    waiting.delete(signal);
    for (const { call } of [...listeners]) call();
  };
  const known = { listeners, abort };
  waiting.set(signal, known);
  signal.addEventListener('abort', abort, { once: true });
  return known;
}
