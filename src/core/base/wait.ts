/** The longest delay that a timer takes, in milliseconds. A timer with a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Lets a Node process end while a timer waits. */
export function unrefTimer(timer: ReturnType<typeof setTimeout>): void {
  // The types are those of Node. In a browser a timer is a number.
  (timer as { unref?: () => unknown }).unref?.();
}

interface AbortListeners {
  readonly listeners: Set<{ readonly call: () => void }>;
  readonly abort: () => void;
}

const abortListeners = new WeakMap<AbortSignal, AbortListeners>();

/**
 * Calls `listener` once when `signal` is aborted, and returns the function that stops that. Any number of calls that
 * share a signal add one listener to it: Node prints a leak warning for more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  const { listeners, abort } = abortListeners.get(signal) ?? listenTo(signal);
  const entry = { call: listener };
  listeners.add(entry);
  return () => {
    if (!listeners.delete(entry) || listeners.size > 0) return;
    signal.removeEventListener('abort', abort);
    abortListeners.delete(signal);
  };
}

function listenTo(signal: AbortSignal): AbortListeners {
  const listeners: AbortListeners['listeners'] = new Set();
  const abort = () => {
    abortListeners.delete(signal);
    for (const { call } of [...listeners]) call();
  };
  const added = { listeners, abort };
  abortListeners.set(signal, added);
  signal.addEventListener('abort', abort, { once: true });
  return added;
}

/**
 * Aborts `control` with the reason of `signal` when that is aborted, or at once if it is already. Returns the function
 * that stops that.
 */
export function abortWith(control: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal?.aborted) control.abort(signal.reason);
  return onAbort(signal, () => control.abort(signal?.reason));
}

/** A promise, with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: unknown) => void;
}

/** As `Promise.withResolvers`, which Node 20 does not have. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {};
  let reject: Deferred<T>['reject'] = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** What ends a wait before its promise settles. */
export interface WaitLimits {
  /** Aborting it rejects the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the wait rejects with what `timeoutError` returns. `undefined` and `Infinity`: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly timeoutError?: (() => unknown) | undefined;
  /** Called when a limit is reached, before the wait rejects. */
  readonly onLimit?: (() => void) | undefined;
}

/**
 * Settles as `promise` does, or rejects when a limit is reached first. Leaves neither a timer nor a listener behind.
 * What `promise` does after a limit was reached is ignored.
 */
export function withLimits<T>(
  promise: Promise<T>,
  { signal, timeoutMs = Number.POSITIVE_INFINITY, timeoutError, onLimit }: WaitLimits,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      stopListening();
    };
    const giveUp = (error: unknown) => {
      stop();
      onLimit?.();
      reject(error);
    };
    const stopListening = onAbort(signal, () => giveUp(signal?.reason));
    promise.then(stop, stop);
    promise.then(resolve, reject);
    if (signal?.aborted) giveUp(signal.reason);
    else if (timeoutMs <= maxTimerMs) timer = setTimeout(() => giveUp(timeoutError?.()), timeoutMs);
  });
}

/** Whether `promise` settles, in either way, within `timeoutMs`. Never rejects. */
export function settlesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const hasSettled = () => true;
  return withLimits(promise.then(hasSettled, hasSettled), { timeoutMs }).catch(() => false);
}

/** Resolves after `ms`, or when `signal` is aborted. Never rejects. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return withLimits(new Promise<void>(() => {}), { signal, timeoutMs: ms }).catch(() => {});
}

/** The pause before an attempt, in milliseconds. The first attempt is number 0. Each pause is twice the one before. */
export function backOffMs(
  attempt: number,
  { firstDelayMs, maxDelayMs }: { readonly firstDelayMs: number; readonly maxDelayMs: number },
): number {
  return Math.min(firstDelayMs * 2 ** attempt, maxDelayMs);
}

/** A pause of which half is random, in milliseconds, so that clients that were cut off together do not act at once. */
export function withJitter(longestMs: number): number {
  return longestMs / 2 + (Math.random() * longestMs) / 2;
}

/** How often a timer looks during its idle time. */
const looksPerIdle = 4;

/**
 * Calls back when nothing has happened for a while. Restarting it costs an addition and not a timer, so that it can be
 * restarted for each message of a stream: it looks four times in its idle time, and so calls back up to a quarter late.
 */
export class IdleTimer {
  readonly #idleMs: number;
  readonly #onIdle: () => void;
  #events = 0;
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param idleMs - `Infinity`: it never calls back.
   * @param onIdle - Called once for each stretch of idle time, until something happens again.
   */
  constructor(idleMs: number, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#onIdle = onIdle;
  }

  /** Begins to wait. Does nothing while it waits already. */
  start(): void {
    const lookMs = this.#idleMs / looksPerIdle;
    if (this.#timer !== undefined || lookMs > maxTimerMs) return;
    let seen = this.#events;
    let idleLooks = 0;
    const look = () => {
      this.#timer = setTimeout(look, lookMs);
      if (seen !== this.#events || this.#pauses > 0) {
        seen = this.#events;
        idleLooks = 0;
      } else if (++idleLooks === looksPerIdle) this.#onIdle();
    };
    this.#timer = setTimeout(look, lookMs);
  }

  /** Something happened: the idle time starts again. */
  restart(): void {
    this.#events++;
  }

  /** Time does not count until {@link resume} was called as often. */
  pause(): void {
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    this.#events++;
  }

  /** Stops waiting. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
