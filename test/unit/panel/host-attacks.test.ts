import { describe, expect, test, vi } from 'vitest';
import type { Panel } from '../../../src/panel/connect.ts';
import { settle } from '../../support/agents.ts';
import { noConversation, pageTarget, part, sentState, set, whole } from '../../support/page-target.ts';
import { until } from '../../support/panel-pair.ts';

type Attacked = ReturnType<typeof pageTarget>;

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

/** What would be shown if a page took it. */
const late = { ...sentState, draft: 'late' };
const error = { message: 'It failed.', detail: null, code: 'remote', remedy: null };

const throwing = {
  get panel(): never {
    throw new Error('a getter of the host');
  },
};

const messages: readonly (readonly [name: string, message: (at: Attacked) => unknown])[] = [
  ['undefined', () => undefined],
  ['a number', () => 1],
  ['a text that is no JSON', () => '{'],
  ['a cyclic object', () => cyclic],
  ['an object with a getter that throws', () => throwing],
  ['a state that is no object', ({ change }) => change({ state: 1 })],
  ['sessions that are no list', ({ state }) => state({ sessions: {} })],
  ['a question of an unknown kind', ({ state }) => state({ questions: [{ kind: '__proto__', id: 'x' }] })],
  ['a problem that is a text', ({ state }) => state({ problem: 'x' })],
  ['a phase that is unknown', ({ state }) => state({ phase: 'hacked' })],
  ['a state for another page', ({ state }) => ({ ...state({ draft: 'stolen' }), page: 'other' })],
  ['results that are no list', ({ change }) => change({ results: 1 })],
  ['a result of no call', ({ change }) => change({ results: [{ number: 99, value: 1, error: null }] })],
  ['an error of no call', ({ change }) => change({ results: [{ number: 99, value: null, error }] })],
  [
    'a result with an error that is a text',
    ({ change }) => change({ results: [{ number: 1, value: 1, error: 'x' }] }),
  ],
  ['a question that the page does not have', ({ state }) => state({ questions: ['q1'], draft: 'x' })],
  ['a number that is a text', ({ change }) => change({ number: '2' })],
  ['a change that was taken before', ({ change }) => change({ number: 1, base: 0 })],
  [
    'a change that follows one that is missing',
    ({ change }) => change({ number: 99, base: 98, state: late }),
  ],
  ['a change that follows one of another host', ({ change }) => change({ run: 'other', state: late })],
  [
    'a change of another host that has no state',
    ({ change }) => change({ run: 'other', base: 0, answers: 99 }),
  ],
  [
    'a late state of an earlier host',
    ({ state }) => ({ ...state({ draft: 'old' }), run: 'earlier', answers: 10 }),
  ],
  [
    'a conversation of another session',
    ({ change }) =>
      change({ conversation: { ...whole([set([], structuredClone(noConversation))]), sessionId: 's2' } }),
  ],
  ['a patch that is no list', ({ change }) => change({ conversation: part({}) })],
  [
    'a patch that does not fit',
    ({ change }) => change({ conversation: part([set(['nothing', 'here'], 1)]) }),
  ],
  [
    'a patch with an unknown operation',
    ({ change }) => change({ conversation: part([{ op: 'constructor', path: [] }]) }),
  ],
  ['a patch without a path', ({ change }) => change({ conversation: part([{ op: 'set', value: 1 }]) })],
  [
    'a patch that makes the conversation a number',
    ({ change }) => change({ conversation: part([set([], 1)]) }),
  ],
  [
    'a patch that makes the entries a text',
    ({ change }) => change({ conversation: part([set(['entries'], 'x')]) }),
  ],
  [
    'a patch that breaks the settings',
    ({ change }) => change({ conversation: part([set(['configOptions'], [null])]) }),
  ],
  [
    'a patch of a prototype',
    ({ change }) => change({ conversation: part([set(['__proto__', 'polluted'], true)]) }),
  ],
  [
    'a whole conversation that is none',
    ({ change }) => change({ conversation: whole([set([], { entries: 1 })]) }),
  ],
  ...Object.entries({ activity: { state: 1 }, info: 'x' }).map(([name, value]): (typeof messages)[number] => [
    `a whole conversation whose ${name} is none`,
    ({ change }) =>
      change({ conversation: whole([set([], { ...structuredClone(noConversation), [name]: value })]) }),
  ]),
];

describe('a page takes no harm from a message of its host:', () => {
  test.each(messages)('%s', async (_, message) => {
    const at = pageTarget();
    const { panel, deliver, state } = at;
    const conversation = { ...noConversation, info: { title: 'Good', updatedAt: null } };
    deliver(state({}, whole([set([], conversation)])));
    const before = panel.getSnapshot();
    expect(before.conversation?.info.title).toBe('Good');
    expect(() => deliver(message(at))).not.toThrow();
    expect(panel.getSnapshot()).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('polluted');
    // What follows is shown.
    const better = structuredClone({ ...conversation, info: { title: 'Better', updatedAt: null } });
    deliver(state({ draft: 'fine' }, whole([set([], better)])));
    expect(panel.getSnapshot()).toMatchObject({ draft: 'fine', conversation: { info: { title: 'Better' } } });
    // What is equal is not drawn again.
    expect(panel.getSnapshot().conversation?.entries).toBe(before.conversation?.entries);
  });
});

test.each<[name: string, act: (panel: Panel) => Promise<unknown>, value: unknown, read: unknown]>([
  ['prompt', (panel) => panel.prompt('Hi'), { stopReason: 7 }, { stopReason: null }],
  ['steer', (panel) => panel.steer('Hi'), 'injected', { outcome: '' }],
  ['revoke', (panel) => panel.revoke('m1'), { revoked: 'yes' }, false],
  [
    'searchTranscripts',
    (panel) => panel.searchTranscripts('x'),
    { hits: {} },
    { hits: [], isComplete: true },
  ],
  ['exportTranscript', (panel) => panel.exportTranscript('s1', 'text'), { text: null }, ''],
  ['chooseAttachments', (panel) => panel.chooseAttachments(), [1, { type: 'text' }], [{ type: 'text' }]],
])('a result of %s that is of another type is as if it were not there', async (_, act, value, read) => {
  const { panel, deliver, state, change, posted } = pageTarget();
  deliver(state());
  const result = act(panel);
  const called = posted.find(({ type }) => type === 'call')?.['number'];
  deliver(change({ results: [{ number: called, value, error: null }] }));
  await expect(result).resolves.toEqual(read);
});

test('a host that always sends a wrong conversation is asked again after a pause, and not in a loop', async () => {
  const { deliver, state, change, posted } = pageTarget();
  deliver(state({}, whole([set([], noConversation)])));
  for (let count = 0; count < 200; count++) {
    deliver(change({ conversation: whole([set([], { entries: 1 })]) }));
    deliver(change({ number: 99, base: 98 }));
  }
  await settle();
  // More than one only if this takes longer than half a second.
  expect(posted.filter(({ type }) => type === 'ask').length).toBeLessThan(5);
});

test('hosts that announce themselves again and again are not greeted in a loop', async () => {
  const { deliver, state, posted } = pageTarget();
  for (let count = 0; count < 200; count++) deliver({ ...state(), page: null, run: `run ${count}` });
  await settle();
  expect(posted.filter(({ type }) => type === 'ask').length).toBeLessThan(5);
});

test('a page has a thousand open actions at most, also while it waits for the host', async () => {
  const { panel, deliver, state, change, posted } = pageTarget();
  const open = (count: number) => {
    for (let index = 0; index < count; index++) panel.cancel().catch(() => {});
  };
  const refused = { code: 'panel.refused', message: expect.stringContaining('1000 open actions') };
  open(1000);
  await expect(panel.cancel()).rejects.toMatchObject(refused);
  deliver(state());
  const calls = () => posted.filter(({ type }) => type === 'call');
  expect(calls()).toHaveLength(1000);
  await expect(panel.cancel()).rejects.toMatchObject(refused);
  deliver(change({ results: [{ number: calls()[0]?.['number'], value: null, error: null }] }));
  open(1);
  expect(calls()).toHaveLength(1001);
});

test('a page closes completely: open actions reject, and later messages and actions do nothing', async () => {
  const { panel, deliver, state, posted, listeners } = pageTarget();
  deliver(state({ sessionId: null }));
  const turn = panel.prompt('Hi');
  const [listener] = listeners;
  const stop = vi.spyOn(listeners, 'delete');
  let changes = 0;
  panel.subscribe(() => changes++);
  panel.close();
  await expect(turn).rejects.toMatchObject({ code: 'panel.closed' });
  expect(listeners.size).toBe(0);
  const [{ length }, before] = [posted, changes];
  // A channel can deliver what was on its way.
  listener?.(state({ draft: 'late' }));
  panel.setDraft('late');
  await expect(panel.cancel()).rejects.toMatchObject({ code: 'panel.closed' });
  panel.close();
  expect([posted.length, changes]).toEqual([length, before]);
  expect(stop).toHaveBeenCalledOnce();
  await expect(until(panel, ({ phase }) => phase === 'disconnected')).resolves.toBeDefined();
});
