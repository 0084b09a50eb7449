import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyConversation } from '../../../src/conversation/fold.ts';
import { connectPanel } from '../../../src/panel/connect.ts';
import { emptyState, type SentState } from '../../../src/panel/state.ts';
import { settle } from '../../support/agents.ts';
import { until } from '../../support/panel-pair.ts';

const { conversation: _, settings: __, commands: ___, ...empty } = emptyState;
const sent: SentState = { ...empty, phase: 'open', sessionId: 's1' };

/** A page whose host is the test. */
function attackedPage() {
  const listeners = new Set<(message: unknown) => void>();
  const posted: Record<string, unknown>[] = [];
  const panel = connectPanel({
    post: (message) => void posted.push(message as Record<string, unknown>),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener) && undefined;
    },
  });
  onTestFinished(() => panel.close());
  const page = posted[0]?.['page'];
  /** Throws if the listener of the page throws. */
  const deliver = (message: unknown) => {
    for (const listener of listeners) listener(message);
  };
  const from = (body: object) => ({ panel: 1, run: 'r', page, ...body });
  const state = (fields: object = {}, conversation: unknown = null) =>
    from({ type: 'state', state: { ...sent, ...fields }, edit: 0, conversation });
  return { panel, posted, deliver, from, state, listeners };
}

/** A copy, because what arrives at a page is not frozen. */
const noConversation = structuredClone(emptyConversation('s1'));

type Attacked = ReturnType<typeof attackedPage>;

const part = (sequence: number, patch: unknown) => ({ sessionId: 's1', message: { sequence, patch } });
const set = (path: unknown, value: unknown) => ({ op: 'set', path, value });

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

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
  ['a state that is no object', ({ from }) => from({ type: 'state', state: 1, edit: 0, conversation: null })],
  ['sessions that are no list', ({ state }) => state({ sessions: {} })],
  ['a question of an unknown kind', ({ state }) => state({ questions: [{ kind: '__proto__', id: 'x' }] })],
  ['a problem that is a text', ({ state }) => state({ problem: 'x' })],
  ['a phase that is unknown', ({ state }) => state({ phase: 'hacked' })],
  ['a state for another page', ({ state }) => ({ ...state({ draft: 'stolen' }), page: 'other' })],
  ['a result of no call', ({ from }) => from({ type: 'result', id: 99, value: 1, error: null })],
  [
    'a result with an error that is a text',
    ({ from }) => from({ type: 'result', id: 1, value: 1, error: 'x' }),
  ],
  [
    'a conversation of another session',
    ({ from }) => from({ type: 'conversation', conversation: { ...part(0, []), sessionId: 's2' } }),
  ],
  ['a patch that is no list', ({ from }) => from({ type: 'conversation', conversation: part(1, {}) })],
  [
    'a patch that does not fit',
    ({ from }) => from({ type: 'conversation', conversation: part(1, [set(['nothing', 'here'], 1)]) }),
  ],
  [
    'a patch with an unknown operation',
    ({ from }) => from({ type: 'conversation', conversation: part(1, [{ op: 'constructor', path: [] }]) }),
  ],
  [
    'a patch without a path',
    ({ from }) => from({ type: 'conversation', conversation: part(1, [{ op: 'set', value: 1 }]) }),
  ],
  [
    'a patch that makes the conversation a number',
    ({ from }) => from({ type: 'conversation', conversation: part(1, [set([], 1)]) }),
  ],
  [
    'a patch that makes the entries a text',
    ({ from }) => from({ type: 'conversation', conversation: part(1, [set(['entries'], 'x')]) }),
  ],
  [
    'a patch that breaks the settings',
    ({ from }) => from({ type: 'conversation', conversation: part(1, [set(['configOptions'], [null])]) }),
  ],
  [
    'a patch of a prototype',
    ({ from }) =>
      from({ type: 'conversation', conversation: part(1, [set(['__proto__', 'polluted'], true)]) }),
  ],
  [
    'a whole conversation that is none',
    ({ from }) => from({ type: 'conversation', conversation: part(0, [set([], { entries: 1 })]) }),
  ],
];

describe('a page takes no harm from a message of its host:', () => {
  test.each(messages)('%s', async (_, message) => {
    const at = attackedPage();
    const { panel, deliver, state } = at;
    const conversation = { ...noConversation, info: { title: 'Good', updatedAt: null } };
    deliver(state({}, part(0, [set([], conversation)])));
    const before = panel.getSnapshot();
    expect(before.conversation?.info.title).toBe('Good');
    expect(() => deliver(message(at))).not.toThrow();
    expect(panel.getSnapshot()).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('polluted');
    // What follows is shown.
    deliver(
      state(
        { draft: 'fine' },
        part(0, [set([], { ...conversation, info: { title: 'Better', updatedAt: null } })]),
      ),
    );
    expect(panel.getSnapshot()).toMatchObject({ draft: 'fine', conversation: { info: { title: 'Better' } } });
  });
});

test('a host that always sends a wrong conversation is asked again after a pause, and not in a loop', async () => {
  const { deliver, state, from, posted } = attackedPage();
  deliver(state({}, part(0, [set([], noConversation)])));
  for (let count = 0; count < 200; count++) {
    deliver(from({ type: 'conversation', conversation: part(0, [set([], { entries: 1 })]) }));
    deliver(from({ type: 'conversation', conversation: part(7, []) }));
  }
  await settle();
  // More than one only if this takes longer than half a second.
  expect(posted.filter(({ type }) => type === 'resend').length).toBeLessThan(5);
});

test('hosts that announce themselves again and again are not greeted in a loop', async () => {
  const { deliver, state, posted } = attackedPage();
  for (let count = 0; count < 200; count++) deliver({ ...state(), page: null, run: `run ${count}` });
  await settle();
  expect(posted.filter(({ type }) => type === 'hello').length).toBeLessThan(5);
});

test('a page closes completely: open actions reject, and later messages and actions do nothing', async () => {
  const { panel, deliver, state, posted, listeners } = attackedPage();
  deliver(state({ sessionId: null }));
  const turn = panel.prompt('Hi');
  let changes = 0;
  panel.subscribe(() => changes++);
  panel.close();
  await expect(turn).rejects.toMatchObject({ code: 'panel.closed' });
  expect(listeners.size).toBe(0);
  const [{ length }, before] = [posted, changes];
  panel.setDraft('late');
  await expect(panel.cancel()).rejects.toMatchObject({ code: 'panel.closed' });
  panel.close();
  expect([posted.length, changes]).toEqual([length, before]);
  await expect(until(panel, ({ phase }) => phase === 'disconnected')).resolves.toBeDefined();
});
