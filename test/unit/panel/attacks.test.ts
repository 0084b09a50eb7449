import { describe, expect, test } from 'vitest';
import type { PanelChannel } from '../../../src/panel/channel.ts';
import { panelVersion } from '../../../src/panel/messages.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, startedHost } from '../../support/panel-pair.ts';
import { type Target, target, withoutEffect } from '../../support/panel-target.ts';
import { RawPage } from '../../support/raw-page.ts';

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

const posted = (params: unknown) => (page: RawPage) => page.message('prompt', { content: params });
const written = (action: string, json: string) => (page: RawPage) =>
  JSON.stringify(page.message(action, '?')).replace('"?"', json);
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
  'a list without an end': posted(endless),
  'an instance of a class': (page) => page.message('newSession', new Map()),
  'a date in a message': posted(new Date()),
  'a function in a message': (page) => page.message('newSession', { run: () => 1 }),
  'a very deep object': posted([deep(10_000)]),
  'a very deep text': written('prompt', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  'a text that is too long': written('prompt', `{"content":"${'x'.repeat(100_000)}"}`),
  'an object that is too large': posted('x'.repeat(100_000)),
  'too many values': posted(Array(20_000).fill(0)),
  'an own key __proto__': written('newSession', '{"__proto__":{"polluted":true}}'),
  'a message without a type': from({}),
  'a type with the name of a prototype': from({ type: '__proto__' }),
  'a message of the host': from({ type: 'change', number: 1, base: 0, state: {} }),
  'a hello without an id': from({ type: 'ask', asked: 1, page: '' }),
  'a call of another page': newSession({ page: 'other' }),
  'a call of an earlier host': newSession({ run: 'other' }),
  'a call with a number that is a text': newSession({ number: '1' }),
  'a call with a negative number': newSession({ number: -1 }),
  'a call with a number that is none': newSession({ number: Number.NaN }),
  'a call with a number that was used': newSession({ number: 1 }),
  'a call with a number that is too high': newSession({ number: 99 }),
  'an acknowledgement of what was not sent': from({ type: 'have', have: 999 }),
  'an acknowledgement that is a text': from({ type: 'have', have: '1' }),
  'a draft that is no text': (page) => page.from({ type: 'draft', text: {}, number: page.next }),
  'a draft without a number': from({ type: 'draft', text: 'x' }),
  'a draft of another page': (page) => page.from({ type: 'draft', text: 'x', page: 'o', number: page.next }),
  'a draft that was taken before': from({ type: 'draft', text: 'x', number: 1 }),
};

function deep(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return { type: 'text', text: 'x', _meta: value };
}

test('what is no message is ignored, and has no effect', async () => {
  const at = await target();
  await withoutEffect(
    at,
    Object.entries(messages).map(([name, message]) => [name, () => at.page.post(message(at.page))] as const),
  );
});

/** Messages that are refused with a result, because they name a call. */
const wrongCalls: readonly (readonly [change: object, message: RegExp])[] = [
  [{ panel: panelVersion + 1 }, /different versions/],
  ...[
    { panel: undefined },
    { panel: '2' },
    { cwd: '/' },
    { params: undefined },
    { params: 'x' },
    { action: {} },
    { action: 'x'.repeat(10_000) },
  ].map((change) => [change, /malformed/] as const),
];

describe('a call is refused, and has no effect:', () => {
  test('one that is malformed, or of another version', async () => {
    const at = await target();
    await withoutEffect(
      at,
      wrongCalls.map(([change, words]) => {
        const attack = async () => {
          const message = at.page.message('newSession', {}, change);
          at.page.post(message);
          const { error } = await at.page.result(message.number);
          expect(error).toMatchObject({ code: 'panel.refused', message: expect.stringMatching(words) });
        };
        return [JSON.stringify(change), attack] as const;
      }),
    );
  });

  test('more open calls than the limit', async () => {
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
});

test('a question is answered once, however often a page answers it', async () => {
  const { page, agent, questions } = await target();
  const before = agent.received.length;
  const answer = { questionId: questions['permission'], answer: { optionId: 'yes' } };
  const results = await Promise.all([1, 2, 3].map(() => page.call('answer', answer)));
  expect(results.map(({ error }) => error?.code)).toEqual([undefined, 'panel.refused', 'panel.refused']);
  await settle();
  expect(agent.received.slice(before)).toHaveLength(1);
});

test('a page that did not say hello gets no result, and nothing is done', async () => {
  const page = new RawPage();
  const { served, agents } = await startedHost({}, page.channel);
  const before = agents[0]?.received.length;
  page.post(page.message('newSession', {}));
  page.post(page.from({ type: 'draft', text: 'x', number: 1 }));
  await settle();
  expect(agents[0]?.received).toHaveLength(before ?? -1);
  expect(served.state.draft).toBe('');
  // It is asked to say hello.
  await eventually(() => page.received.length).toBeGreaterThan(1);
  expect(page.received.every(({ type, page: to }) => type === 'ask' && to === null)).toBe(true);
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
  for (let count = 0; count < 1000; count++) {
    page.hello();
    page.post(page.from({ type: 'ask', asked: 1 }));
  }
  await settle();
  expect(page.received.length - before).toBeLessThanOrEqual(1);
});
