import { expect, onTestFinished, test } from 'vitest';
import { withWholeCharacters } from '../../../src/core/transport/message-text.ts';
import { connectPanel, type Panel } from '../../../src/ui/panel/connect.ts';
import type { PanelOptions } from '../../../src/ui/panel/options.ts';
import type { PanelError } from '../../../src/ui/panel/panel-error.ts';
import { readPlainData, UnreadableMessage } from '../../../src/ui/panel/plain-data.ts';
import { hurryTime, startedHost, until } from '../../support/panel-pair.ts';
import { wirings } from '../../support/panel-wirings.ts';

type Message = Readonly<Record<string, unknown>>;
type Carry = (message: Message, post: (message: unknown) => unknown) => unknown;

const maxCharacters = 100_000;
const long = 'x'.repeat(maxCharacters);

/** A host, and a page whose messages are kept. `carry` posts a message of the page. */
async function connected(
  wire = wirings['memory'],
  carry: Carry = (message, post) => post(message),
  editor: PanelOptions['editor'] = {},
) {
  const limits = { messageCharacters: maxCharacters };
  const { served, agents, problems } = await startedHost({
    options: { limits, editor },
    answers: { 'session/prompt': { stopReason: 'end_turn' } },
  });
  const channel = (await wire?.((end) => served.attach(end)))?.();
  if (!channel) throw new Error('There is no channel.');
  const posted: Message[] = [];
  const panel = connectPanel({
    ...channel,
    post(message) {
      // A page posts objects.
      posted.push(message as Message);
      return carry(message as Message, channel.post);
    },
  });
  onTestFinished(() => panel.close());
  await until(panel, ({ phase }) => phase === 'open');
  const calls = () => posted.flatMap(({ type, action }) => (type === 'call' ? [action] : []));
  return { panel, served, agent: agents[0], calls, problems };
}

const prompt = (panel: Panel, value: unknown) =>
  // In JavaScript it can be anything.
  panel.prompt([{ type: 'text', text: 'Look.', _meta: { value: value as null } }]);
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
const cyclic: Record<string, unknown> = {};
cyclic['self'] = [cyclic];
const throwing = {
  get a(): never {
    throw new Error('No.');
  },
};
const notPlain = 'value is an object that is not plain, such as a Date or a Map.';
const tooLong = ' characters or more, and the limit is 100,000.';

/** Values in a prompt, with why they cannot be sent. */
const unsendable: readonly (readonly [what: string, value: unknown, why: string])[] = [
  ['NaN', Number.NaN, 'This cannot be sent: value is NaN, which is not a finite number.'],
  ['Infinity in a list', [1, -1 / 0], 'item 2 of a list is -Infinity, which is not a finite number.'],
  ['a bigint', 1n, 'value is a bigint.'],
  ['a function', () => 1, 'value is a function.'],
  ['a symbol', Symbol('x'), 'value is a symbol.'],
  ['undefined in a list', [undefined], 'item 1 of a list is missing.'],
  ['a list with a hole', Array(3), 'item 1 of a list is missing.'],
  ['a Date', new Date(), notPlain],
  ['an instance of a class', new (class Picture {})(), notPlain],
  ['a cycle', cyclic, 'it is not JSON, or contains itself.'],
  ['a getter that throws', throwing, 'it is not JSON, or contains itself.'],
  ['a key that changes the prototype', JSON.parse('{"__proto__":{}}'), 'it has the key __proto__.'],
  ['what is nested too deep', nested(80), 'it is more than 64 levels deep.'],
  ['a long text', long, tooLong],
  ['a text that is long as JSON', '\n'.repeat(60_000), tooLong],
  ['many values', Array(60_000).fill(0), tooLong],
];

/** Values in a prompt that are sent. */
const sendable: readonly (readonly [what: string, value: unknown])[] = [
  ['the reactive list of a framework', new Proxy([{ a: new Proxy({ b: 1 }, {}) }], {})],
  ['a field that is undefined', { gone: undefined, here: 1 }],
  ['half of a character', 'x\ud83d'],
  ['what is nested deep', nested(55)],
  ['a text almost as long as the limit', 'x'.repeat(99_600)],
];

test.each(Object.entries(wirings))(
  'over %s, a page sends what the host can read, and says why it does not send the rest',
  async (_, wire) => {
    const { panel, agent, calls, problems } = await connected(wire);
    for (const [what, value, why] of unsendable) {
      panel.setDraft(what);
      const error = await prompt(panel, value).catch((thrown: unknown) => thrown);
      const problem = { code: 'panel.unsent', message: expect.stringContaining(why) };
      expect([what, error]).toMatchObject([what, problem]);
      expect(panel.getSnapshot()).toMatchObject({ draft: what, problem });
    }
    expect(calls()).toEqual([]);
    for (const [what, value] of sendable) {
      expect([what, await prompt(panel, value)]).toEqual([what, { stopReason: 'end_turn' }]);
      // Half a character is not sent to an agent.
      const _meta = { value: JSON.parse(withWholeCharacters(JSON.stringify(value))) };
      expect(agent?.calls('session/prompt').at(-1)?.params).toMatchObject({ prompt: [{ _meta }] });
    }
    expect(panel.getSnapshot()).toMatchObject({ draft: '', problem: null });
    expect(problems).toEqual([]);
  },
);

test.each<readonly [what: string, act: (panel: Panel) => Promise<unknown>]>([
  ['a setting', (panel) => panel.changeSetting('age', Number.NaN as never)],
  ['a queued text', (panel) => panel.queue(long)],
  ['a steered picture', (panel) => panel.steer([{ type: 'image', mimeType: 'image/png', data: long }])],
  ['a form', (panel) => panel.answer('q1', { action: 'accept', content: { age: Number.NaN } })],
])('%s that the host could not read rejects, and the next action is done', async (_, act) => {
  const { panel, calls } = await connected();
  await expect(act(panel)).rejects.toMatchObject({ code: 'panel.unsent' });
  await panel.refreshSessions();
  expect(calls()).toEqual(['refreshSessions']);
});

test.each<readonly [what: string, draft: unknown, problem: object | null]>([
  ['is too long', long, { code: 'panel.unsent' }],
  ['is not a number', Number.NaN, { code: 'panel.unsent' }],
  ['is a bigint', 1n, { code: 'panel.unsent' }],
])('a draft that %s stays in the page, and the next one reaches the host', async (_, draft, problem) => {
  const { panel, served } = await connected();
  // In JavaScript it can be anything.
  panel.setDraft(draft as string);
  expect(panel.getSnapshot()).toMatchObject({ draft, problem });
  await panel.newSession();
  expect(panel.getSnapshot()).toMatchObject({ draft, problem: null });
  panel.setDraft('short');
  await panel.refreshSessions();
  expect(served.state.draft).toBe('short');
});

test.each([
  ['call', 'DataCloneError', 'throws'],
  ['draft', 'RangeError', 'rejects'],
])(
  'a %s that the channel cannot carry is not sent again, and the next action is done: %s, which it %s',
  async (type, name, how) => {
    const failure = Object.assign(new Error('It is too much.'), { name });
    let failures = 0;
    const { panel, problems } = await connected(wirings['memory'], (message, post) => {
      if (message['type'] !== type || message['action'] === 'newSession') return post(message);
      failures++;
      if (how === 'throws') throw failure;
      return Promise.reject(failure);
    });
    panel.setDraft('Too much.');
    const prompted = type === 'call' ? panel.prompt('Too much.') : undefined;
    const outcome = prompted?.catch(({ message }: PanelError) => message);
    await panel.newSession();
    expect(await outcome).toBe(prompted && 'This cannot be sent: It is too much.');
    expect(panel.getSnapshot()).toMatchObject({ draft: 'Too much.', sessionId: 's1' });
    // The host knows that a message is missing.
    expect([failures, problems]).toMatchObject([1, [{ code: 'panel.unsent' }]]);
  },
);

test('what is no action is no problem if the channel cannot carry it', async () => {
  let haves = 0;
  const { panel } = await connected(wirings['memory'], (message, post) => {
    if (message['type'] === 'have' && ++haves === 1) throw new RangeError('It is too much.');
    return post(message);
  });
  expect(panel.getSnapshot().problem).toBeNull();
  await panel.newSession();
  expect(haves).toBeGreaterThan(1);
});

test('a call that is lost is refused, and what follows is done', async () => {
  hurryTime();
  const { panel, problems } = await connected(wirings['memory'], (message, post) =>
    message['action'] === 'prompt' ? undefined : post(message),
  );
  panel.setDraft('lost');
  const outcome = panel.prompt('lost').catch(({ code, message }: PanelError) => ({ code, message }));
  const problem = { code: 'panel.unsent', message: expect.stringContaining('did not arrive') };
  expect(await outcome).toEqual(problem);
  expect(problems).toMatchObject([problem]);
  expect(panel.getSnapshot()).toMatchObject({ draft: 'lost', problem });
  await panel.newSession();
  expect(panel.getSnapshot()).toMatchObject({ draft: 'lost', sessionId: 's1', problem: null });
});

test('a draft that is lost is sent again', async () => {
  hurryTime();
  let lost = 0;
  const { panel, served } = await connected(wirings['memory'], (message, post) =>
    message['type'] === 'draft' && ++lost === 1 ? undefined : post(message),
  );
  panel.setDraft('lost');
  await until(panel, () => served.state.draft === 'lost');
});

test('what a function of the editor returns is not sent if a page could not read it', async () => {
  const chooseAttachments = async () => [{ type: 'text', text: 'x', open: () => {} }] as const;
  const { panel } = await connected(wirings['MessagePort'], undefined, { chooseAttachments });
  await expect(panel.chooseAttachments()).rejects.toThrow('This cannot be sent: open is a function.');
  await panel.newSession();
  expect(panel.getSnapshot().sessionId).toBe('s1');
});

const date = Object.assign(new Date(0), { toJSON: () => 'x' });

test.each([
  null,
  1.5,
  { a: 'bc', d: [1, null, '\n', '\ud83d'] },
  Object.assign(Object.create(null), { a: '' }),
  nested(63),
])('a message is read up to its length as JSON, and not with one character more: %#', (message) => {
  const text = JSON.stringify(message);
  for (const each of [message, text]) {
    expect(readPlainData(each, text.length)).toEqual(message);
    expect(() => readPlainData(each, text.length - 1)).toThrow(
      new UnreadableMessage(`it has ${text.length} characters or more, and the limit is ${text.length - 1}`),
    );
  }
});

test.each<[string, unknown, string]>([
  ['undefined', undefined, 'it is not JSON, or contains itself'],
  ['what toJSON would replace', { a: date }, 'a is an object that is not plain, such as a Date or a Map'],
  ['a value with a long key', { ['k'.repeat(200)]: 1n }, `${'k'.repeat(100)} is a bigint`],
  ['what is nested too deep', nested(64), 'it is more than 64 levels deep'],
  ['a text that is nested too deep', '['.repeat(65) + ']'.repeat(65), 'it is more than 64 levels deep'],
])('%s is not read', (_, message, why) => {
  expect(() => readPlainData(message, 10_000)).toThrow(new UnreadableMessage(why));
});
