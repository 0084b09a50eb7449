import { expect, test } from 'vitest';
import { Inbox } from '../../../../src/transport/http/inbox.ts';
import { allHappened } from '../../../support/timed-acp-server.ts';

/** The length of text that may wait. */
const most = 256 * 1024;

const text = (length: number) => ({ type: 'text', text: 'x'.repeat(length), stream: undefined }) as const;

test('streams are not read while too much text waits, and then all of them, each time', async () => {
  const inbox = new Inbox();
  for (let time = 0; time < 2; time++) {
    inbox.add(text(most));
    inbox.add({ type: 'held', message: {} });
    expect(inbox.whenRoom()).toBeUndefined();
    inbox.makeRoom();
    inbox.add(text(1));
    const room = inbox.whenRoom();
    expect(room).toBeInstanceOf(Promise);
    expect(inbox.whenRoom()).toBe(room);
    let isSettled = false;
    void room?.then(() => {
      isSettled = true;
    });
    inbox.makeRoom();
    await allHappened();
    expect(isSettled).toBe(false);
    inbox.add(text(most - 1));
    expect(inbox.take()).toEqual(text(most));
    inbox.makeRoom();
    await expect(room).resolves.toBeUndefined();
    expect(inbox.whenRoom()).toBeUndefined();
    for (let left = 0; left < 3; left++) expect(inbox.take()).toBeDefined();
    expect(inbox.take()).toBeUndefined();
  }
});
