import { setTimeout as sleep } from 'node:timers/promises';

/** The value of a promise, or `late` once `limitMs` have passed. Rejects as the promise does. */
export async function within(promise, limitMs, late = 'late') {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, sleep(limitMs, late, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

/** Resolves once the session's conversation is as `holds` says, or rejects after `limitMs`. */
export async function until(session, holds, limitMs) {
  let stop = () => {};
  const reached = new Promise((resolve) => {
    const look = () => holds(session.conversation.getSnapshot()) && resolve('reached');
    stop = session.conversation.subscribe(look);
    look();
  });
  try {
    const result = await within(reached, limitMs);
    if (result === 'late') throw new Error(`The conversation did not come to that within ${limitMs} ms.`);
  } finally {
    stop();
  }
}

/**
 * Follows a promise: `ended` is how it ended, as `{ value }` or `{ error }`, and `undefined` while it has not; `settled`
 * resolves when it has. It is put on the list of all that are watched, too.
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
