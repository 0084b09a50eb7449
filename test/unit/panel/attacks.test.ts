import { expect, test } from 'vitest';
import type { PanelChannel } from '../../../src/ui/panel/channel.ts';
import { panelVersion } from '../../../src/ui/panel/messages.ts';
import { settle } from '../../support/agents.ts';
import { cwd, startedHost } from '../../support/panel-pair.ts';
import { type Target, target, withoutEffect } from '../../support/panel-target.ts';
import { RawPage } from '../../support/raw-page.ts';
import { stopClock } from '../../support/timed-acp-server.ts';

const link = (uri: unknown) => ({ content: [{ type: 'resource_link', name: 'x', uri }] });
const resource = (uri: unknown) => ({ content: [{ type: 'resource', resource: { uri, text: 'x' } }] });
const image = (uri: unknown) => ({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png', uri }] });
const answerOf =
  (kind: string, answer: object) =>
  ({ questions }: Target) => ({ questionId: questions[kind], answer });
const accept = (content: object) => answerOf('form', { action: 'accept', content });
const linkIn =
  (uri: string) =>
  ({ keys }: Target) => ({ place: { kind: 'link', entryKey: keys['message'], uri } });
const inToolCall =
  (kind: string, more: object) =>
  ({ keys }: Target) => ({ place: { kind, entryKey: keys['toolCall'], index: 0, ...more } });

type Params = object | ((at: Target) => object);

/** The parameters of calls that the host refuses with a code, by the action. */
const refused: Readonly<Record<string, readonly (readonly [action: string, ...all: readonly Params[]])[]>> = {
  'panel.refused': [
    ...['__proto__', 'constructor', 'toString', '', 'spawn', 'x'.repeat(1000)].map(
      (action) => [action, { command: 'sh' }] as const,
    ),
    ['newSession', { command: 'sh' }, { cwd: '/' }, { mcpServers: [{ name: 'x', command: 'sh', args: [] }] }],
    ['restart', { agent: { command: 'sh' } }],
    ['openSession', ...['secret', 'foreign', '__proto__', 7].map((sessionId) => ({ sessionId }))],
    ['openSession', { sessionId: 'listed', cwd: '/' }],
    ['deleteSession', { sessionId: 'secret' }, { sessionId: 'foreign' }],
    ['closeSession', { sessionId: 'listed' }],
    ['prompt', {}, ...[1, [{ text: 'x' }], [null], ['x']].map((content) => ({ content }))],
    ['prompt', { content: 'x', sessionId: 'foreign' }],
    [
      'answer',
      answerOf('permission', { optionId: 'root' }),
      answerOf('permission', { optionId: '__proto__' }),
    ],
    ['answer', answerOf('permission', { action: 'accept' }), answerOf('permission', { methodId: 'key' })],
    ['answer', answerOf('permission', { optionId: 'yes', outcome: 'x' })],
    ['answer', ...['q99', '__proto__'].map((questionId) => ({ questionId, answer: { optionId: 'yes' } }))],
    ['answer', ...[{}, { color: 'x' }, { color: {} }, { color: 'red', sudo: true }].map(accept)],
    ['answer', answerOf('form', { action: 'allow' })],
    ['changeSetting', { settingId: 'model', value: {} }],
    ['login', { methodId: 'other' }],
    ['openLocation', { place: { kind: 'location', entryKey: 'x', index: 0 } }],
    ['openLocation', { place: { kind: 'location', path: '/etc/passwd' } }],
    ['openLocation', { place: { kind: 'path', path: '/etc/passwd' } }, linkIn('src/main.ts')],
    [
      'openLocation',
      ...[{ path: '/x' }, { index: 9 }, { index: 'length' }].map((e) => inToolCall('location', e)),
    ],
    ['openDiff', inToolCall('diff', {}), { place: { kind: 'diff', path: '/etc/passwd', newText: 'x' } }],
    [
      'openLink',
      ...['https://evil.example/', 'javascript:alert(1)', 'file:///etc/passwd'].map((url) => ({ url })),
    ],
    // The editor does not have it.
    ['chooseAttachments', {}],
  ],
  'panel.outside': [
    ['steer', link('file:///etc/passwd')],
    ['queue', link('file:///etc/passwd')],
    [
      'prompt',
      ...[
        'file:///etc/passwd',
        `file://${cwd}/../secret`,
        `file://${cwd}/a/../b`,
        `file://${cwd}/%2e%2e/secret`,
        `file://${cwd}/.%2E/secret`,
        `file://${cwd}/..%2fsecret`,
        `file://${cwd}/a%2fb`,
        `file://${cwd}-2/a`,
        `file://${cwd}/a%00.txt`,
        `file://evil.example${cwd}/a`,
        'file:/etc/passwd',
        'file:///C:/Windows/win.ini',
        'C:\\Windows\\win.ini',
        '\\\\server\\share\\x',
        '/etc/passwd',
        `/${'x'.repeat(1000)}`,
        'vscode://settings',
        'javascript:alert(1)',
        'attachment:notes.txt',
      ].map(link),
    ],
    [
      'prompt',
      resource('file:///etc/passwd'),
      resource('attachment:/etc/passwd'),
      image('file:///etc/passwd'),
    ],
    ['openLocation', inToolCall('location', { index: 1 })],
    [
      'openLocation',
      ...['../secret.txt', 'file:///etc/passwd', '\\\\server\\share\\x', 'javascript:alert(1)'].map(linkIn),
    ],
  ],
  'usage.params': [
    ['changeSetting', { settingId: 'shell', value: 'on' }, { settingId: '__proto__', value: 'x' }],
    ['changeSetting', { settingId: 'model', value: 'x' }, { settingId: 'model', value: true }],
  ],
};

test.each(Object.entries(refused))('a call is refused with %s, and has no effect', async (code, calls) => {
  const at = await target();
  await withoutEffect(
    at,
    calls.flatMap(([action, ...all]) =>
      all.map((params) => {
        const given = typeof params === 'function' ? params(at) : params;
        const name = `${action} ${JSON.stringify(given)}`;
        const attack = async () => {
          const { error } = await at.page.call(action, given);
          expect(error?.code, name).toBe(code);
          expect(error?.message, name).toMatch(/^[A-Za-z"].{15,400}\.$/s);
        };
        return [name, attack] as const;
      }),
    ),
  );
});

test('a refusal names what is wrong, and does not repeat it', async () => {
  const { page } = await target();
  const { error } = await page.call('prompt', { content: 7, sessionId: 'foreign' });
  expect(error?.message).toBe('The parameters of prompt are wrong: check content, sessionId.');
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const throwing = {
  get panel() {
    throw new Error('a getter of the page');
  },
};

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const endless = new Proxy([], { get: (_, key) => (key === 'length' ? Number.MAX_SAFE_INTEGER : 'x') });

const from = (body: object) => (page: RawPage) => page.from(body);
const newSession = (fields: object) => (page: RawPage) => page.message('newSession', {}, fields);

/** Messages that are no messages, and are ignored. */
const messages: Readonly<Record<string, (page: RawPage) => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'a number': () => 1,
  'a symbol': () => Symbol('x'),
  'a bigint': () => 1n,
  'a function': () => () => 1,
  'a list': () => [1, 2],
  'an empty text': () => '',
  'a text that is no JSON': () => '{"panel":1,',
  'JSON that is no object': () => '"hello"',
  'a cyclic object': () => cyclic,
  'an object with a getter that throws': () => throwing,
  'a revoked proxy': () => revoked(),
  'a message without a type': from({}),
  'a type with the name of a prototype': from({ type: '__proto__' }),
  'a message of the host': from({ type: 'change', number: 1, base: 0, state: {} }),
  'a hello without an id': from({ type: 'hello', asked: 1, page: '' }),
  'a call of another page': newSession({ page: 'other' }),
  'a call of an earlier host': newSession({ run: 'other' }),
  'a call with a number that is a text': newSession({ number: '1' }),
  'a call with a negative number': newSession({ number: -1 }),
  'a call with a number that is none': newSession({ number: Number.NaN }),
  'a call with a number that was used': newSession({ number: 1 }),
  'an acknowledgement of what was not sent': from({ type: 'have', have: 999 }),
  'an acknowledgement that is a text': from({ type: 'have', have: '1' }),
  'a draft without a number': from({ type: 'draft', text: 'x' }),
  'a draft of another page': (page) => page.from({ type: 'draft', text: 'x', page: 'o', number: page.next }),
  'a draft that was taken before': from({ type: 'draft', text: 'x', number: 1 }),
};

function deep(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return { type: 'text', text: 'x', _meta: value };
}

const content = (value: unknown) => ({ params: { content: value } });
const polluting: unknown = JSON.parse('{"__proto__":{"polluted":true}}');

/** Calls that the host cannot read. A page checks what it sends, so it posts none of them. */
const wrongCalls: Readonly<Record<string, object>> = {
  'of a newer version': { panel: panelVersion + 1 },
  'of no version': { panel: undefined },
  'whose version is a text': { panel: '2' },
  'with another field': { cwd: '/' },
  'without parameters': { params: undefined },
  'with parameters that are a text': { params: 'x' },
  'with an action that is an object': { action: {} },
  'with an action of 10,000 characters': { action: 'x'.repeat(10_000) },
  'that is a draft without a text': { type: 'draft' },
  'with a list without an end': content(endless),
  'with an instance of a class': { params: new Map() },
  'with a date': content(new Date()),
  'with a function': { params: { run: () => 1 } },
  'that is very deep': content([deep(10_000)]),
  'that is too large': content('x'.repeat(100_000)),
  'with too many values': content(Array(60_000).fill(0)),
  'with an own key __proto__': { params: polluting },
};

/** The same as JSON. */
const wrongTexts: Readonly<Record<string, object>> = {
  'that is too long, as a text': content('x'.repeat(100_000)),
  'that is very deep, as a text': content(JSON.parse('['.repeat(1000) + ']'.repeat(1000))),
  'with an own key __proto__, as a text': { params: polluting },
};

test('what is no message is ignored, and has no effect', async () => {
  const at = await target();
  const { page } = at;
  await withoutEffect(at, [
    ...Object.entries(messages).map(([name, message]) => [name, () => page.post(message(page))] as const),
    ...Object.entries(wrongCalls).map(
      ([name, fields]) => [name, () => page.post(page.message('newSession', {}, fields))] as const,
    ),
    ...Object.entries(wrongTexts).map(([name, fields]) => {
      const attack = () => page.post(JSON.stringify(page.message('newSession', {}, fields)));
      return [name, attack] as const;
    }),
  ]);
});

test('more open calls than the limit are refused, and have no effect', async () => {
  const at = await target();
  // One is the open turn.
  for (let count = 0; count < 3; count++) at.page.open('queue', { content: 'later' });
  await settle();
  const { pendingMessages } = at.served.state.conversation ?? {};
  expect(pendingMessages).toHaveLength(3);
  const received = at.agent.received.length;
  const { error } = await at.page.call('queue', { content: 'too many' });
  expect(error).toMatchObject({ code: 'panel.refused', message: expect.stringContaining('4 open calls') });
  expect(at.served.state.conversation?.pendingMessages).toEqual(pendingMessages);
  expect(at.agent.received).toHaveLength(received);
  for (const { id } of pendingMessages ?? []) await at.served.session?.revoke(id);
  await settle();
  expect(await at.page.call('dismissProblem')).toMatchObject({ error: null });
});

test('a question is answered once, however often a page answers it', async () => {
  const { page, agent, questions } = await target();
  const before = agent.received.length;
  const answer = { questionId: questions['permission'], answer: { optionId: 'yes' } };
  const results = await Promise.all([1, 2, 3].map(() => page.call('answer', answer)));
  const busy = { code: 'panel.refused', message: expect.stringContaining('is being answered') };
  expect(results.map(({ error }) => error)).toMatchObject([null, busy, busy]);
  const gone = { code: 'panel.refused', message: expect.stringContaining('is not open any more') };
  expect((await page.call('answer', answer)).error).toMatchObject(gone);
  await settle();
  expect(agent.received.slice(before)).toHaveLength(1);
});

test('a page that was removed, and a page of a closed host, have no effect', async () => {
  const page = new RawPage();
  const { served, agents, problems } = await startedHost();
  const listeners: ((message: unknown) => void)[] = [];
  // The channel goes on to deliver after its listener was removed.
  const listen: PanelChannel['listen'] = (listener) => {
    listeners.push(listener);
    return page.channel.listen(listener);
  };
  const detach = served.attach({ ...page.channel, listen });
  page.hello();
  detach();
  expect(page.listenerCount).toBe(0);
  const received = page.received.length;
  const post = async () => {
    for (const listener of listeners) listener(page.message('newSession', {}));
    await settle();
  };
  await post();
  await served.close();
  await post();
  expect(listeners).toHaveLength(1);
  expect(page.received).toHaveLength(received);
  expect(agents[0]?.calls('session/new')).toEqual([]);
  served.attach(page.channel);
  expect(page.listenerCount).toBe(0);
  expect(problems.at(-1)).toMatchObject({ code: 'panel.pages' });
});

test('a page that floods the host with questions gets the conversation four times a second at most', async () => {
  const { page } = await target();
  const before = page.received.length;
  // The time stands still, however long the machine takes.
  stopClock();
  for (let count = 0; count < 1000; count++) {
    page.hello();
    page.post(page.from({ type: 'ask', asked: 1 }));
  }
  await settle();
  expect(page.received.length - before).toBeLessThanOrEqual(1);
});
