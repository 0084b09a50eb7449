import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The value of a promise, or `late` after `limitMs`. Rejects as the promise does. */
export async function within(promise, limitMs, late = 'late') {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, sleep(limitMs, late, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

/** Resolves when `holds` is true for the conversation of the session; rejects after `limitMs`. */
export async function until(session, holds, limitMs) {
  let stop = () => {};
  const reached = new Promise((resolve) => {
    const look = () => holds(session.conversation) && resolve('reached');
    stop = session.store.subscribe(look);
    look();
  });
  try {
    const result = await within(reached, limitMs);
    if (result === 'late')
      throw new Error(`The conversation was not in the expected state within ${limitMs} ms.`);
  } finally {
    stop();
  }
}

/** An agent is ready when nothing has arrived for this long: some answer before they replay. */
const quietMs = 1500;

/** Resolves when no message has arrived for a while. */
export async function quiet(messages) {
  let count;
  do {
    count = messages.length;
    await sleep(quietMs);
  } while (messages.length > count);
}

/** Resolves when the agent can load a session that began at this time. */
export const untilLoadable = ({ agent: { reloadAfterMs = 0 } }, begunAt) =>
  sleep(Math.max(0, begunAt + reloadAfterMs - Date.now()));

/** Resolves when a file exists, at the latest after `limitMs`. */
export async function untilThere(path, limitMs) {
  const end = Date.now() + limitMs;
  while (!existsSync(path) && Date.now() < end) await sleep(50);
}

/**
 * Watches a promise: `ended` is its result as `{ value }` or `{ error }`, and `undefined` while it is pending; `settled`
 * resolves when it has settled. The result is also added to `watched`.
 */
export function watch(promise, watched) {
  const followed = { ended: undefined };
  followed.settled = promise.then(
    (value) => {
      followed.ended = { value };
    },
    (error) => {
      followed.ended = { error };
    },
  );
  watched.push(followed);
  return followed;
}
