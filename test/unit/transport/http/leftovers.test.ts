import { describe, expect, test } from 'vitest';
import { Leftovers } from '../../../../src/transport/http/leftovers.ts';
import type { OpenRequest } from '../../../../src/transport/http/routes.ts';

const load: OpenRequest = {
  id: 1,
  method: 'session/load',
  sessionId: 's1',
  session: 'attaches',
  isReplay: true,
};

const update = { method: 'session/update' };
const note = { method: '_test/note' };
const asks = [1, 2].map((id) => ({ id, method: 'session/request_permission' }));

/** The session s1 is lost, and a call asks for it. */
function lost(call = load) {
  const leftovers = new Leftovers('session/update');
  const markers: object[] = [];
  const ended: string[] = [];
  leftovers.add('s1');
  const skip = (request: OpenRequest) =>
    leftovers.skip('s1', request, (marker) => markers.push(marker)).then(() => ended.push('skipped'));
  const skipping = skip(call);
  return { leftovers, markers, ended, skip, skipping };
}

describe('what the server kept for a lost session', () => {
  test('is skipped until the call is sent that a replay answers, which waits for its marker', async () => {
    const { leftovers, markers, ended, skipping } = lost();
    await Promise.resolve();
    expect(ended).toEqual([]);
    expect([update, note].map((message) => leftovers.take(message, 's1'))).toEqual([true, false]);
    expect([update, { ...asks[0] }].map((message) => leftovers.take(message, 's2'))).toEqual([false, false]);
    expect(leftovers.take(update, undefined)).toBe(false);
    expect(markers.map((marker) => leftovers.take(marker, undefined))).toEqual([true]);
    await skipping;
    // What the agent said since is in the replay too.
    expect(leftovers.take(update, 's1')).toBe(true);
    leftovers.end('s1');
    expect([update, ...markers].map((message) => leftovers.take(message, 's1'))).toEqual([false, false]);
  });

  test('is asked for once: the next call does not wait', async () => {
    const { leftovers, markers, skip, skipping } = lost();
    expect(leftovers.has('s1')).toBe(false);
    await skip({ ...load, id: 2 });
    expect(markers).toHaveLength(1);
    leftovers.clear();
    await skipping;
  });
});

describe('the requests among it', () => {
  test('come in their order after the call that asked for the replay, once', async () => {
    const { leftovers, skipping } = lost();
    for (const ask of asks) expect(leftovers.take(ask, 's1')).toBe(true);
    for (const other of [undefined, 2]) expect(leftovers.after(other)).toEqual([]);
    expect(leftovers.after(load.id)).toEqual(asks);
    expect(leftovers.after(load.id)).toEqual([]);
    leftovers.clear();
    await skipping;
  });
});

test('a session that is lost again is not waited for, and is lost', async () => {
  const { leftovers, skipping } = lost();
  leftovers.add('s1');
  await skipping;
  expect(leftovers.has('s1')).toBe(true);
  expect(leftovers.take(update, 's1')).toBe(false);
});
