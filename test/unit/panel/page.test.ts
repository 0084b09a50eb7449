import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { noConversation, pageTarget, sentState, set, whole } from '../../support/page-target.ts';

type Timed = Awaited<ReturnType<typeof timedPage>>;

/** A page that has drawn its first change, number 10, in simulated time. Its last question is as old as the shortest pause. */
async function timedPage() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const at = pageTarget();
  at.deliver(at.state({}, whole([set([], noConversation)])));
  const last = () => at.posted.at(-1);
  let known = 0;
  /** What the page has posted since the last time: the type, and the number of a call or draft. */
  const words = () => {
    const found = at.posted.slice(known).map(({ type, number = '' }) => `${type} ${number}`.trim());
    known = at.posted.length;
    return found;
  };
  const within = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return words();
  };
  await within(200);
  expect(last()).toMatchObject({ type: 'have', have: 10, drawn: 10 });
  return { ...at, last, words, within };
}

const late = { ...sentState, draft: 'late' };
const nothing = { sent: 10 };

describe('a page', () => {
  test.each<readonly [what: string, message: (at: Timed) => unknown, answer: readonly string[]]>([
    [
      'has nothing to say to a host that has nothing new',
      ({ from }) => from({ type: 'have', ...nothing }),
      [],
    ],
    ['answers a host that asks', ({ from }) => from({ type: 'ask', ...nothing }), ['have']],
    ['says again that it has a change', ({ change }) => change({ number: 10, state: late }), ['have']],
    ['asks for a change that it has not', ({ from }) => from({ type: 'have', sent: 11 }), ['ask']],
    ['asks a host that asks, and has more', ({ from }) => from({ type: 'ask', sent: 11 }), ['ask']],
    ['asks another host', ({ from }) => from({ type: 'have', ...nothing, run: 'other' }), ['ask']],
    ['asks another host that asks', ({ from }) => from({ type: 'ask', ...nothing, run: 'other' }), ['ask']],
    ['asks for the change before', ({ change }) => change({ number: 12, base: 11, state: late }), ['ask']],
    [
      'asks another host for its first change',
      ({ change }) => change({ run: 'other', answers: 0, state: late }),
      ['ask'],
    ],
    [
      'asks for everything when a change does not fit',
      ({ change }) => change({ conversation: whole([set([], { entries: 1 })]), state: late }),
      ['ask'],
    ],
  ])('%s', async (_, message, answer) => {
    const at = await timedPage();
    const { deliver, from, panel, last, words, within } = at;
    const sent = message(at);
    deliver(sent);
    expect(words()).toEqual(answer);
    if (answer.includes('ask')) {
      await within(150);
      deliver(sent);
      // Sooner it would be a loop.
      expect(await within(49)).toEqual([]);
      expect(await within(1)).toEqual(['ask']);
      deliver(from({ type: 'have', sent: last()?.['have'] }));
    }
    expect(await within(100_000)).toEqual([]);
    expect(panel.getSnapshot()).toMatchObject({ phase: 'open', draft: '' });
  });

  test('that misses a change asks for it, also if an older one comes again', async () => {
    const { deliver, change, within, words } = await timedPage();
    deliver(change({ number: 12, base: 11 }));
    await within(100);
    deliver(change({ number: 12, base: 11 }));
    deliver(change({ number: 10, sent: 10 }));
    expect(words()).toEqual(['have']);
    expect(await within(100)).toEqual(['ask']);
  });

  test('takes the state of a new host that has answered more than the state of the one before', async () => {
    const { deliver, state, change, panel } = await timedPage();
    deliver(change({ answers: 40 }));
    deliver({ ...state({ draft: 'new' }), run: 'new' });
    expect(panel.getSnapshot().draft).toBe('new');
  });

  test('repeats what a host that asks does not have, but not without a pause', async () => {
    const { panel, deliver, from, change, words, within } = await timedPage();
    void panel.newSession();
    void panel.cancel();
    expect(words()).toEqual(['call 1', 'call 2']);
    deliver(from({ type: 'have', ...nothing, have: 1 }));
    expect(words()).toEqual([]);
    const ask = () => deliver(from({ type: 'ask', ...nothing, have: 1 }));
    ask();
    expect(words()).toEqual(['have', 'call 2']);
    ask();
    await within(199);
    ask();
    expect(words()).toEqual(['have']);
    await within(1);
    ask();
    expect(words()).toEqual(['have', 'call 2']);
    // What the host says does not put off the question for the results.
    for (let count = 0; count < 12; count++) {
      deliver(from({ type: 'have', ...nothing, have: 2 }));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(words()).toEqual(['ask']);
    deliver(change({ have: 2, results: [{ number: 1, value: null, error: null }] }));
    expect(await within(1000)).toEqual(['have', 'ask']);
    deliver(change({ number: 12, base: 11, have: 2, results: [{ number: 2, value: null, error: null }] }));
    expect(await within(100_000)).toEqual(['have']);
  });

  test('asks for what is lost also while changes come, until the host has it', async () => {
    const { panel, deliver, change, within, words } = await timedPage();
    void panel.cancel();
    words();
    const changeAt = (number: number, have: number) => {
      deliver(change({ number, base: number - 1, have }));
      return within(400);
    };
    const said = [await changeAt(11, 0), await changeAt(12, 0), await changeAt(13, 0)];
    expect(said).toEqual([['have'], ['have'], ['have', 'ask']]);
    for (let number = 14; number < 24; number++) expect(await changeAt(number, 1)).toEqual(['have']);
  });

  test('sends a draft when the host has the one before, and before an action', async () => {
    const { panel, deliver, from, change, words, within } = await timedPage();
    panel.setDraft('a');
    expect(await within(16)).toEqual(['draft 1']);
    panel.setDraft('a');
    expect(await within(900)).toEqual([]);
    // Its host did not have the draft.
    deliver(change({ state: sentState }));
    expect(panel.getSnapshot().draft).toBe('a');
    expect(await within(1000)).toEqual(['have', 'ask']);
    panel.setDraft('ab');
    deliver(change({ number: 12, base: 11 }));
    expect(await within(50)).toEqual(['have']);
    deliver(from({ type: 'have', sent: 12, have: 1 }));
    expect(words()).toEqual(['draft 2']);
    deliver(change({ number: 13, base: 12, have: 2, state: late }));
    expect(panel.getSnapshot().draft).toBe('late');
    panel.setDraft('c');
    void panel.cancel();
    expect(words()).toEqual(['have', 'draft 3', 'call 4']);
    deliver(from({ type: 'have', sent: 13, have: 4 }));
    panel.setDraft('c');
    expect(await within(100)).toEqual(['have']);
  });

  test('sends the draft that was written after one that its host refuses', async () => {
    const { panel, deliver, change, within } = await timedPage();
    panel.setDraft('a');
    await within(16);
    panel.setDraft('ab');
    const error = { message: 'Too long.', detail: null, code: 'panel.refused', remedy: null };
    deliver(change({ have: 1, results: [{ number: 1, value: null, error }] }));
    expect(await within(16)).toContain('draft 2');
  });

  test('keeps the questions that its host names by their ids', async () => {
    const { panel, deliver, change } = await timedPage();
    const question = { kind: 'login', id: 'q1', methods: [], reason: 'Log in.' };
    deliver(change({ state: { ...sentState, questions: [question] } }));
    deliver(change({ number: 12, base: 11, state: { ...late, questions: ['q1'] } }));
    expect(panel.getSnapshot()).toMatchObject({ draft: 'late', questions: [question] });
  });

  test('says that a change is drawn when it is', async () => {
    const { panel, deliver, change, last, words, within } = await timedPage();
    let calls = 0;
    panel.subscribe(() => calls++);
    deliver(change({ state: late }));
    // This calls the listeners, and not yet what a framework draws then.
    panel.setDraft('mine');
    deliver(change({ number: 12, base: 11 }));
    expect(last()).toMatchObject({ have: 12, drawn: 10 });
    expect(await within(100)).toEqual(['have', 'have', 'draft 1', 'have']);
    expect([last(), calls]).toMatchObject([{ drawn: 12 }, 1]);
    // There is nothing to draw.
    deliver(change({ number: 13, base: 12, have: 1 }));
    expect(last()).toMatchObject({ have: 13, drawn: 13 });
    expect([words(), vi.getTimerCount()]).toEqual([['have'], 0]);
    panel.setDraft('and drawn');
    expect([await within(100), calls]).toEqual([['draft 2'], 2]);
  });

  test.each([
    [1, 32],
    [10, 32],
    [11, 33],
    [100, 300],
    [500, 1000],
  ])('whose drawing took %i ms says %i ms later that it is drawn', async (tookMs, pauseMs) => {
    const { panel, deliver, change, last, within } = await timedPage();
    let behindMs = 0;
    const { now } = performance;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + behindMs);
    onTestFinished(() => clock.mockRestore());
    panel.subscribe(() => {
      // The task after the frame, which ends the drawing, comes a millisecond later.
      behindMs += tookMs - 1;
    });
    deliver(change({ state: late }));
    await within(16 + pauseMs);
    expect(last()).toMatchObject({ have: 11, drawn: 10 });
    await within(1);
    expect(last()).toMatchObject({ have: 11, drawn: 11 });
  });

  test('requests one frame for all that changes in it', async () => {
    const { deliver, change } = await timedPage();
    const frames: (() => void)[] = [];
    Reflect.set(globalThis, 'requestAnimationFrame', (task: () => void) => frames.push(task));
    onTestFinished(() => void Reflect.deleteProperty(globalThis, 'requestAnimationFrame'));
    deliver(change({ state: late }));
    deliver(change({ number: 12, base: 11, state: { ...late, draft: 'later' } }));
    expect(frames).toHaveLength(1);
    frames[0]?.();
    deliver(change({ number: 13, base: 12, state: late }));
    expect(frames).toHaveLength(2);
  });

  test('does not say to a new host that it has drawn what the one before sent', async () => {
    const { posted, deliver, state, change, last, within } = await timedPage();
    deliver(change({ state: late }));
    vi.advanceTimersToNextTimer();
    deliver({ ...state(), run: 'new', number: 1 });
    await within(100);
    expect(posted.filter(({ have, drawn }) => Number(drawn) > Number(have))).toEqual([]);
    expect(last()).toMatchObject({ have: 1, drawn: 1 });
  });

  test.each(['idle', 'drawing'])('that is closed draws nothing more: %s', async (what) => {
    const { panel, deliver, change } = await timedPage();
    if (what === 'idle') {
      panel.close();
      return expect(vi.getTimerCount()).toBe(0);
    }
    let calls = 0;
    panel.subscribe(() => calls++);
    deliver(change({ state: late }));
    panel.close();
    // The frame that was requested. A browser calls it in any case.
    vi.advanceTimersToNextTimer();
    expect([calls, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('tells the host the error of a listener', async () => {
    const { panel, errors, last } = await timedPage();
    const thrown: unknown[] = ['A text.', new Error('No room.')];
    panel.subscribe(() => {
      throw thrown.pop();
    });
    panel.setDraft('a');
    const detail = expect.stringContaining('page.test.ts');
    expect(last()).toMatchObject({ type: 'fault', text: 'No room.', detail });
    panel.setDraft('ab');
    expect(last()).toMatchObject({ type: 'fault', text: 'A text.', detail: null });
    expect(errors).toHaveLength(2);
  });

  test('asks eight times before the host counts as lost, and is a new page then', async () => {
    const { panel, posted, within } = await timedPage();
    const lost = panel.cancel();
    await within(120_000);
    await expect(lost).rejects.toMatchObject({ code: 'panel.disconnected' });
    const asks = posted.slice(3).filter(({ type }) => type === 'ask');
    expect(asks.filter(({ page }) => page === posted[0]?.['page'])).toHaveLength(8);
    // The pauses grow, up to ten seconds.
    expect(asks.length).toBeGreaterThan(10);
    expect(asks.length).toBeLessThan(20);
  });

  test('can be closed by a listener that learns that the host is lost', async () => {
    const { panel, posted, errors, within } = await timedPage();
    void panel.cancel();
    panel.subscribe(() => {
      if (panel.getSnapshot().phase === 'disconnected') panel.close();
    });
    await within(120_000);
    expect(posted.at(-1)).toMatchObject({ page: posted[0]?.['page'] });
    expect(errors).toEqual([]);
  });
});
