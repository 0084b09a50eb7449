import { expect, test, vi } from 'vitest';
import { settle } from '../../support/agents.ts';
import { noConversation, pageTarget, part, set, whole } from '../../support/page-target.ts';
import { until } from '../../support/panel-pair.ts';

type Attacked = ReturnType<typeof pageTarget>;

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const error = { message: 'It failed.', detail: null, code: 'remote', remedy: null };

const throwing = {
  get panel(): never {
    throw new Error('a getter of the host');
  },
};

const changed = (fields: object) => (at: Attacked) => at.change(fields);
const stated = (fields: object) => (at: Attacked) => at.state(fields);
const patched = (operations: unknown) => changed({ conversation: part(operations) });

const messages: Readonly<Record<string, (at: Attacked) => unknown>> = {
  undefined: () => undefined,
  'a number': () => 1,
  'a text that is no JSON': () => '{',
  'a cyclic object': () => cyclic,
  'an object with a getter that throws': () => throwing,
  'a state for another page': ({ state }) => ({ ...state({ draft: 'stolen' }), page: 'other' }),
  'a result of no call': changed({ results: [{ number: 99, value: 1, error: null }] }),
  'an error of no call': changed({ results: [{ number: 99, value: null, error }] }),
  'a question that the page does not have': stated({ questions: ['q1'], draft: 'x' }),
  'a patch that is no list': patched({}),
  'a patch with an unknown operation': patched([{ op: 'constructor', path: [] }]),
  'a patch of a prototype': patched([set(['__proto__', 'polluted'], true)]),
};

test.each(Object.entries(messages))('a page takes no harm from a message of its host: %s', (_, message) => {
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

test('hosts that announce themselves again and again are not greeted in a loop', async () => {
  const { deliver, from, posted } = pageTarget();
  for (let count = 0; count < 200; count++)
    deliver(from({ type: 'ask', sent: 0, page: null, run: `run ${count}` }));
  await settle();
  expect(posted.filter(({ type }) => type === 'hello').length).toBeLessThan(5);
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
