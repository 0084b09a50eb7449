import { describe, expect, onTestFinished, test } from 'vitest';
import type { PanelChannel } from '../../../src/panel/channel.ts';
import { panelVersion } from '../../../src/panel/messages.ts';
import { servePanel } from '../../../src/panel/serve.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, hostOptions } from '../../support/panel-pair.ts';
import { type Target, target, withoutEffect } from '../../support/panel-target.ts';
import { RawPage } from '../../support/raw-page.ts';

const link = (uri: unknown) => ({ content: [{ type: 'resource_link', name: 'x', uri }] });
const resource = (uri: unknown) => ({ content: [{ type: 'resource', resource: { uri, text: 'x' } }] });
const image = (uri: unknown) => ({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png', uri }] });

type Call = readonly [name: string, action: string, params: object | ((at: Target) => object), code?: string];

/** Calls that the host refuses. The code is `panel.refused` where no other is named. */
const calls: readonly Call[] = [
  ['the action __proto__', '__proto__', {}],
  ['the action constructor', 'constructor', {}],
  ['the action toString', 'toString', {}],
  ['the action hasOwnProperty', 'hasOwnProperty', {}],
  ['an action without a name', '', {}],
  ['an action that does not exist', 'spawn', { command: 'sh', args: ['-c', 'id'] }],
  ['an action with a long name', 'x'.repeat(1000), {}],
  ['a command for a new session', 'newSession', { command: 'sh' }],
  ['a folder for a new session', 'newSession', { cwd: '/' }],
  ['MCP servers for a new session', 'newSession', { mcpServers: [{ name: 'x', command: 'sh', args: [] }] }],
  ['a command for the restart', 'restart', { agent: { command: 'sh' } }],
  ['a session that is not listed', 'openSession', { sessionId: 'secret' }],
  ['a session of another folder', 'openSession', { sessionId: 'foreign' }],
  ['a folder for a listed session', 'openSession', { sessionId: 'listed', cwd: '/' }],
  ['a session with the name of a prototype', 'openSession', { sessionId: '__proto__' }],
  ['a session id that is a number', 'openSession', { sessionId: 7 }],
  ['the deletion of a session that is not listed', 'deleteSession', { sessionId: 'secret' }],
  ['the deletion of a session of another folder', 'deleteSession', { sessionId: 'foreign' }],
  ['the end of a session that is not open', 'closeSession', { sessionId: 'listed' }],
  ['a prompt without content', 'prompt', {}],
  ['a prompt that is a number', 'prompt', { content: 1 }],
  ['a prompt with a block without a type', 'prompt', { content: [{ text: 'x' }] }],
  ['a prompt with a block that is null', 'prompt', { content: [null] }],
  ['a prompt with a block that is a text', 'prompt', { content: ['x'] }],
  ['a prompt with options', 'prompt', { content: 'x', sessionId: 'foreign' }],
  ['a steered message with a file outside', 'steer', link('file:///etc/passwd'), 'panel.outside'],
  ['a queued message with a file outside', 'queue', link('file:///etc/passwd'), 'panel.outside'],
  ['a file outside of the workspace', 'prompt', link('file:///etc/passwd'), 'panel.outside'],
  ['a file above the workspace', 'prompt', link(`file://${cwd}/../secret`), 'panel.outside'],
  ['a path through .. that ends inside', 'prompt', link(`file://${cwd}/a/../b`), 'panel.outside'],
  ['an encoded ..', 'prompt', link(`file://${cwd}/%2e%2e/secret`), 'panel.outside'],
  ['a half encoded ..', 'prompt', link(`file://${cwd}/.%2E/secret`), 'panel.outside'],
  ['.. before an encoded slash', 'prompt', link(`file://${cwd}/..%2fsecret`), 'panel.outside'],
  ['an encoded slash', 'prompt', link(`file://${cwd}/a%2fb`), 'panel.outside'],
  [
    'a folder whose name begins with the one of the workspace',
    'prompt',
    link(`file://${cwd}-2/a`),
    'panel.outside',
  ],
  ['a NUL in a file name', 'prompt', link(`file://${cwd}/a%00.txt`), 'panel.outside'],
  ['a file URI with a host', 'prompt', link(`file://evil.example${cwd}/a`), 'panel.outside'],
  ['a file URI with one slash', 'prompt', link('file:/etc/passwd'), 'panel.outside'],
  ['a file URI with a Windows drive', 'prompt', link('file:///C:/Windows/win.ini'), 'panel.outside'],
  ['a path with a Windows drive', 'prompt', link('C:\\Windows\\win.ini'), 'panel.outside'],
  ['a share', 'prompt', link('\\\\server\\share\\x'), 'panel.outside'],
  ['a path without a scheme', 'prompt', link('/etc/passwd'), 'panel.outside'],
  ['a path that is too long to be said', 'prompt', link(`/${'x'.repeat(1000)}`), 'panel.outside'],
  ['another scheme', 'prompt', link('vscode://settings'), 'panel.outside'],
  ['a script', 'prompt', link('javascript:alert(1)'), 'panel.outside'],
  ['a resource outside of the workspace', 'prompt', resource('file:///etc/passwd'), 'panel.outside'],
  ['an attachment with a path', 'prompt', resource('attachment:/etc/passwd'), 'panel.outside'],
  ['a link to an attachment', 'prompt', link('attachment:notes.txt'), 'panel.outside'],
  ['the source of an image outside', 'prompt', image('file:///etc/passwd'), 'panel.outside'],
  ['an option that the question does not have', 'answer', answerOf('permission', { optionId: 'root' })],
  ['an option with the name of a prototype', 'answer', answerOf('permission', { optionId: '__proto__' })],
  ['the answer of a form to a permission', 'answer', answerOf('permission', { action: 'accept' })],
  ['the answer of a login to a permission', 'answer', answerOf('permission', { methodId: 'key' })],
  ['an answer with more than an answer', 'answer', answerOf('permission', { optionId: 'yes', outcome: 'x' })],
  ['an answer to no question', 'answer', { questionId: 'q99', answer: { optionId: 'yes' } }],
  ['an answer to a prototype', 'answer', { questionId: '__proto__', answer: { optionId: 'yes' } }],
  ['a form without a required field', 'answer', answerOf('form', { action: 'accept', content: {} })],
  ['a form with another value', 'answer', answerOf('form', { action: 'accept', content: { color: 'x' } })],
  [
    'a form with a value of another type',
    'answer',
    answerOf('form', { action: 'accept', content: { color: {} } }),
  ],
  [
    'a form with another field',
    'answer',
    answerOf('form', { action: 'accept', content: { color: 'red', sudo: true } }),
  ],
  ['an unknown action for a form', 'answer', answerOf('form', { action: 'allow' })],
  [
    'a setting that the agent does not offer',
    'changeSetting',
    { settingId: 'shell', value: 'on' },
    'usage.params',
  ],
  [
    'a value that the agent does not offer',
    'changeSetting',
    { settingId: 'model', value: 'x' },
    'usage.params',
  ],
  ['a value of another type', 'changeSetting', { settingId: 'model', value: true }, 'usage.params'],
  ['a value that is an object', 'changeSetting', { settingId: 'model', value: {} }],
  [
    'a setting with the name of a prototype',
    'changeSetting',
    { settingId: '__proto__', value: 'x' },
    'usage.params',
  ],
  ['a login that the agent does not offer', 'login', { methodId: 'other' }],
  [
    'an entry that the conversation does not have',
    'openLocation',
    { place: { kind: 'location', entryKey: 'x', index: 0 } },
  ],
  ['a path for a location', 'openLocation', { place: { kind: 'location', path: '/etc/passwd' } }],
  [
    'a place with a path beside it',
    'openLocation',
    (at) => ({ place: { kind: 'location', entryKey: at.keys['toolCall'], index: 0, path: '/etc/passwd' } }),
  ],
  [
    'a location that the tool call does not have',
    'openLocation',
    (at) => ({ place: { kind: 'location', entryKey: at.keys['toolCall'], index: 9 } }),
  ],
  [
    'a location with the index length',
    'openLocation',
    (at) => ({ place: { kind: 'location', entryKey: at.keys['toolCall'], index: 'length' } }),
  ],
  [
    'a location on a share',
    'openLocation',
    (at) => ({ place: { kind: 'location', entryKey: at.keys['toolCall'], index: 1 } }),
    'panel.outside',
  ],
  ['an unknown kind of place', 'openLocation', { place: { kind: 'path', path: '/etc/passwd' } }],
  ['a link that the entry does not have', 'openLocation', placeOf('src/main.ts')],
  ['a link out of the workspace', 'openLocation', placeOf('../secret.txt'), 'panel.outside'],
  ['a link to a file outside', 'openLocation', placeOf('file:///etc/passwd'), 'panel.outside'],
  ['a link to a share', 'openLocation', placeOf('\\\\server\\share\\x'), 'panel.outside'],
  ['a link that is a script', 'openLocation', placeOf('javascript:alert(1)'), 'panel.outside'],
  [
    'a diff that the tool call does not have',
    'openDiff',
    (at) => ({ place: { kind: 'diff', entryKey: at.keys['toolCall'], index: 0 } }),
  ],
  ['a diff with its texts', 'openDiff', { place: { kind: 'diff', path: '/etc/passwd', newText: 'x' } }],
  ['an address that the conversation does not have', 'openLink', { url: 'https://evil.example/' }],
  ['an address that is a script', 'openLink', { url: 'javascript:alert(1)' }],
  ['an address of a file', 'openLink', { url: 'file:///etc/passwd' }],
  ['an action that the editor does not have', 'chooseAttachments', {}],
];

function answerOf(kind: string, answer: object) {
  return ({ questions }: Target) => ({ questionId: questions[kind], answer });
}

function placeOf(uri: string) {
  return ({ keys }: Target) => ({ place: { kind: 'link', entryKey: keys['message'], uri } });
}

describe('a call of a page is refused, and has no effect:', () => {
  test.each(calls)('%s', async (_, action, params, code = 'panel.refused') => {
    const at = await target();
    await withoutEffect(at, async () => {
      const { error } = await at.page.call(action, typeof params === 'function' ? params(at) : params);
      expect(error).toMatchObject({ code });
      expect(error?.message).toMatch(/^[A-Za-z"].{15,400}\.$/s);
    });
  });

  test('the refusal names what is wrong, and does not repeat it', async () => {
    const { page } = await target();
    const { error } = await page.call('prompt', { content: 7, sessionId: 'foreign' });
    expect(error?.message).toBe('The parameters of prompt are wrong: check content, sessionId.');
  });
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

/** Messages that are no messages, and are ignored. */
const messages: readonly (readonly [name: string, message: (page: RawPage) => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a number', () => 1],
  ['a symbol', () => Symbol('x')],
  ['a bigint', () => 1n],
  ['a function', () => () => 1],
  ['a list', () => [1, 2]],
  ['an empty text', () => ''],
  ['a text that is no JSON', () => '{"panel":1,'],
  ['JSON that is no object', () => '"hello"'],
  ['a cyclic object', () => cyclic],
  ['an object with a getter that throws', () => throwing],
  ['a revoked proxy', () => revoked()],
  ['a list without an end', (page) => page.message('prompt', { content: endless })],
  ['an instance of a class', (page) => page.message('newSession', new Map())],
  ['a date in a message', (page) => page.message('prompt', { content: new Date() })],
  ['a function in a message', (page) => page.message('newSession', { run: () => 1 })],
  ['a very deep object', (page) => page.message('prompt', { content: [deep(10_000)] })],
  [
    'a very deep text',
    (page) =>
      JSON.stringify(page.message('prompt', { content: '?' })).replace(
        '"?"',
        `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      ),
  ],
  [
    'a text that is too long',
    (page) => JSON.stringify(page.message('prompt', { content: 'x'.repeat(100_000) })),
  ],
  ['an object that is too large', (page) => page.message('prompt', { content: 'x'.repeat(100_000) })],
  ['too many values', (page) => page.message('prompt', { content: Array(20_000).fill(0) })],
  [
    'an own key __proto__',
    (page) =>
      JSON.stringify(page.message('newSession', '?')).replace('"?"', '{"__proto__":{"polluted":true}}'),
  ],
  ['a message without a type', (page) => page.from({})],
  ['a type with the name of a prototype', (page) => page.from({ type: '__proto__' })],
  ['a message of the host', (page) => page.from({ type: 'change', number: 1, base: 0, state: {} })],
  ['a hello without an id', (page) => page.from({ type: 'ask', asked: 1, page: '' })],
  ['a call of another page', (page) => page.message('newSession', {}, { page: 'other' })],
  ['a call of an earlier host', (page) => page.message('newSession', {}, { run: 'other' })],
  ['a call with a number that is a text', (page) => page.message('newSession', {}, { number: '1' })],
  ['a call with a negative number', (page) => page.message('newSession', {}, { number: -1 })],
  ['a call with a number that is none', (page) => page.message('newSession', {}, { number: Number.NaN })],
  ['a call with a number that was used', (page) => page.message('newSession', {}, { number: 1 })],
  ['a call with a number that is too high', (page) => page.message('newSession', {}, { number: 99 })],
  ['an acknowledgement of what was not sent', (page) => page.from({ type: 'have', have: 999 })],
  ['an acknowledgement that is a text', (page) => page.from({ type: 'have', have: '1' })],
  ['a draft that is no text', (page) => page.from({ type: 'draft', text: {}, number: page.next })],
  ['a draft without a number', (page) => page.from({ type: 'draft', text: 'x' })],
  [
    'a draft of another page',
    (page) => page.from({ type: 'draft', text: 'x', page: 'o', number: page.next }),
  ],
  ['a draft that was taken before', (page) => page.from({ type: 'draft', text: 'x', number: 1 })],
];

function deep(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return { type: 'text', text: 'x', _meta: value };
}

describe('a message is ignored, and has no effect:', () => {
  test.each(messages)('%s', async (_, message) => {
    const at = await target();
    await withoutEffect(at, () => at.page.post(message(at.page)));
  });
});

/** Messages that are refused with a result, because they name a call. */
const wrongCalls: readonly (readonly [name: string, change: object, message: RegExp])[] = [
  ['of a newer version', { panel: panelVersion + 1 }, /different versions/],
  ['of no version', { panel: undefined }, /malformed/],
  ['of a version that is a text', { panel: '2' }, /malformed/],
  ['with another key', { cwd: '/' }, /malformed/],
  ['without parameters', { params: undefined }, /malformed/],
  ['with parameters that are a text', { params: 'x' }, /malformed/],
  ['with an action that is an object', { action: {} }, /malformed/],
  ['with an action of 10,000 characters', { action: 'x'.repeat(10_000) }, /malformed/],
];

describe('a call is refused, and has no effect:', () => {
  test.each(wrongCalls)('%s', async (_, change, words) => {
    const at = await target();
    await withoutEffect(at, async () => {
      const message = at.page.message('newSession', {}, change);
      at.page.post(message);
      const { error } = await at.page.result(message.number);
      expect(error).toMatchObject({ code: 'panel.refused', message: expect.stringMatching(words) });
    });
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
  const { options, agents } = hostOptions({});
  const page = new RawPage();
  const served = servePanel(options, page.channel);
  onTestFinished(() => served.close());
  await served.started;
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
  const { options, agents, problems } = hostOptions({});
  const page = new RawPage();
  const served = servePanel(options);
  const listeners: ((message: unknown) => void)[] = [];
  // The channel goes on to deliver after its listener was removed.
  const listen: PanelChannel['listen'] = (listener) => {
    listeners.push(listener);
    return page.channel.listen(listener);
  };
  const detach = served.attach({ ...page.channel, listen });
  await served.started;
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

test('faults of a page are reported once each', async () => {
  const { options, problems } = hostOptions({});
  const page = new RawPage();
  const served = servePanel(options, page.channel);
  onTestFinished(() => served.close());
  await served.started;
  for (let count = 0; count < 100; count++) {
    page.post('no JSON');
    page.post({ panel: panelVersion + 1, type: 'ask' });
  }
  expect(problems.map(({ code }) => code)).toEqual(['panel.message.unreadable', 'panel.message.version']);
});
