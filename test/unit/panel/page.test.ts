import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { noConversation, pageTarget, part, sentState, set, whole } from '../../support/page-target.ts';

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

describe('a page', () => {
  test.each<readonly [what: string, message: (at: Timed) => unknown, answer: readonly string[]]>([
    ['says what it has to a host that asks', ({ from }) => from({ type: 'ask', sent: 10 }), ['have']],
    ['ignores a change that comes again', ({ change }) => change({ number: 10, state: late }), []],
    ['lacks a change that its host has sent', ({ from }) => from({ type: 'ask', sent: 11 }), ['hello']],
    ['lacks the change before', ({ change }) => change({ number: 12, base: 11, state: late }), ['hello']],
    ['hears another host', ({ from }) => from({ type: 'ask', sent: 10, run: 'other' }), ['hello']],
    ['hears a host that knows no page', ({ from }) => from({ type: 'ask', sent: 0, page: null }), ['hello']],
    [
      'hears a host that knows another page',
      ({ from }) => from({ type: 'ask', sent: 10, page: 'p' }),
      ['hello'],
    ],
    ['gets a change of another host', ({ change }) => change({ run: 'other', state: late }), ['hello']],
    [
      'gets what does not fit',
      ({ change }) => change({ conversation: part([set(['x', 'y'], 1)]) }),
      ['hello'],
    ],
  ])('%s', async (_, message, answer) => {
    const at = await timedPage();
    const { deliver, state, panel, words, within } = at;
    const sent = message(at);
    deliver(sent);
    expect(words()).toEqual(answer);
    if (answer.includes('hello')) {
      await within(150);
      deliver(sent);
      // Sooner it would be a loop.
      expect(await within(49)).toEqual([]);
      expect(await within(1)).toEqual(['hello']);
      deliver(state());
      expect(words()).toEqual(['have']);
    }
    expect(await within(100_000)).toEqual([]);
    expect(panel.getSnapshot()).toMatchObject({ phase: 'open', draft: '' });
  });

  test('takes the state of a new host, and no late one of a host before', async () => {
    const { deliver, state, panel } = await timedPage();
    deliver({ ...state({ draft: 'new' }), run: 'new' });
    deliver({ ...state({ draft: 'old' }), run: 'earlier', answers: 10 });
    expect(panel.getSnapshot().draft).toBe('new');
  });

  test('asks about its calls until their results come, also while changes come', async () => {
    const { panel, deliver, from, change, words, within } = await timedPage();
    void panel.newSession();
    void panel.cancel();
    expect(words()).toEqual(['call 1', 'call 2']);
    const changeAt = (number: number, fields: object = {}) => {
      deliver(change({ number, base: number - 1, ...fields }));
      return within(400);
    };
    const said = [await changeAt(11), await changeAt(12), await changeAt(13)];
    expect(said).toEqual([['have'], ['have'], ['have', 'ask']]);
    deliver(from({ type: 'ask', sent: 13 }));
    expect(words()).toEqual(['have']);
    await changeAt(14, { results: [{ number: 1, value: null, error: null }] });
    expect(await within(2000)).toEqual(['ask']);
    await changeAt(15, { results: [{ number: 2, value: null, error: null }] });
    expect(await within(100_000)).toEqual([]);
  });

  test('sends a draft when the host has the one before, and before an action', async () => {
    const { panel, deliver, from, change, words, within } = await timedPage();
    panel.setDraft('a');
    panel.setDraft('ab');
    expect(words()).toEqual(['draft 1']);
    // Its host did not have the draft.
    deliver(change({ state: sentState }));
    expect(panel.getSnapshot().draft).toBe('ab');
    expect(await within(900)).toEqual(['have']);
    deliver(from({ type: 'ask', sent: 11, draft: 1 }));
    expect(words()).toEqual(['have', 'draft 2']);
    deliver(change({ number: 12, base: 11, draft: 2, state: late }));
    expect(panel.getSnapshot().draft).toBe('late');
    panel.setDraft('c');
    panel.setDraft('cd');
    void panel.cancel();
    expect(words()).toEqual(['have', 'draft 3', 'draft 4', 'call 5']);
    deliver(from({ type: 'ask', sent: 12, draft: 4 }));
    panel.setDraft('cd');
    expect(words()).toEqual(['have']);
  });

  test.each([
    ['panel.unsent', ['draft 1', 'have', 'draft 2']],
    ['panel.refused', ['draft 1', 'have']],
  ])('sends a draft again that was lost, and not one that its host refused: %s', async (code, said) => {
    const { panel, deliver, change, words } = await timedPage();
    panel.setDraft('a');
    const error = { message: 'No.', detail: null, code, remedy: null };
    deliver(change({ results: [{ number: 1, value: null, error }] }));
    expect(words().toSorted()).toEqual(said.toSorted());
    panel.setDraft('ab');
    expect(panel.getSnapshot().draft).toBe('ab');
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
    expect(await within(100)).toEqual(['have', 'draft 1', 'have', 'have']);
    expect([last(), calls]).toMatchObject([{ drawn: 12 }, 1]);
    // There is nothing to draw.
    deliver(change({ number: 13, base: 12, draft: 1 }));
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

  test('asks eight times before the host counts as lost, and goes on to ask for everything', async () => {
    const { panel, words, within } = await timedPage();
    const lost = panel.cancel();
    const said = await within(120_000);
    await expect(lost).rejects.toMatchObject({ code: 'panel.disconnected' });
    expect(said.filter((type) => type === 'ask')).toHaveLength(8);
    // The pauses grow, up to ten seconds.
    expect(said.length).toBeGreaterThan(12);
    expect(said.length).toBeLessThan(22);
    expect(words()).toEqual([]);
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
