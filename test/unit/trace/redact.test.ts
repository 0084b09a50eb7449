import { describe, expect, test } from 'vitest';
import { redact } from '../../../src/core/trace/redact.ts';
import { shorten } from '../../../src/core/trace/shorten.ts';

const secret = 'hunter2';

function request(params: object) {
  return { jsonrpc: '2.0', id: 1, method: 'session/new', params };
}

test('secrets of MCP servers go, and the names of servers, variables and metadata stay', () => {
  const messageWith = (value: string) =>
    request({
      cwd: '/p',
      mcpServers: [
        {
          name: 'a',
          command: '/bin/a',
          args: ['--fast'],
          env: [{ name: 'TOKEN', value, _meta: { note: value } }],
          _meta: { trace: value },
        },
        { type: 'http', name: 'b', url: 'https://b', headers: [{ name: 'Authorization', value }] },
        { name: 'c', command: '/bin/c', env: { KEY: value } },
        null,
      ],
    });
  const message = messageWith(secret);
  expect(redact(message)).toEqual(messageWith('[redacted]'));
  expect(message).toEqual(messageWith(secret));
});

test.each([
  ['of a terminal', { command: 'npm', env: [{ name: 'TOKEN', value: secret }] }],
  ['of a provider', { providerId: 'x', headers: { 'x-api-key': secret } }],
  ['in a shape of its own', { env: secret, headers: [secret] }],
])('secrets %s go', (_, params) => {
  expect(JSON.stringify(redact(request(params)))).not.toContain(secret);
  expect(JSON.stringify(redact([request(params)]))).not.toContain(secret);
});

test.each([
  [
    'an update',
    {
      method: 'session/update',
      params: { update: { rawInput: { env: { A: 'b' }, url: 'https://me:secret@host' }, _meta: { a: 'b' } } },
    },
  ],
  [
    'the tool call of a permission request',
    {
      id: 1,
      method: 'session/request_permission',
      params: { toolCall: { rawInput: { env: { A: 'b' } } }, options: [] },
    },
  ],
  ['a response', { jsonrpc: '2.0', id: 1, result: { environment: 'kept', url: 'https://host/a@b' } }],
  [
    'capabilities',
    { id: 0, result: { agentCapabilities: { _meta: { 'x.y/pipe': {}, on: true, off: null } } } },
  ],
  ['a call without parameters', { jsonrpc: '2.0', id: 1, method: 'logout' }],
  ['no message', 'text'],
  ['nothing', null],
])('%s is as it was', (_, message) => {
  expect(redact(message)).toBe(message);
});

test('the metadata of a login goes, in which agents take keys, and what a way to log in adds to the environment', () => {
  const messageWith = (key: string) => [
    { id: 1, method: 'authenticate', params: { methodId: 'key', _meta: { 'api-key': key } } },
    { id: 1, method: 'auth/login', params: { methodId: 'key', _meta: { 'api-key': key } } },
    { id: 1, result: { authMethods: [{ id: 'a', env: { KEY: key } }, null] } },
  ];
  expect(redact(messageWith(secret))).toEqual(messageWith('[redacted]'));
});

test('fields of your own go wherever they stand', () => {
  const message = {
    method: 'session/update',
    params: { update: { list: [{ AccountId: { deep: 'hunter2' } }, { accountid: null }], title: 'kept' } },
  };
  expect(redact(message, { fields: ['accountId'] })).toEqual({
    method: 'session/update',
    params: { update: { list: [{ AccountId: '[redacted]' }, { accountid: null }], title: 'kept' } },
  });
});

describe('at every depth', () => {
  const variable = { name: 'KEY', value: secret, _meta: { note: secret } };

  test.each([
    ['_meta of an MCP server', { mcpServers: [{ name: 'a', _meta: { token: secret } }] }],
    ['_meta of a variable', { mcpServers: [{ name: 'a', env: [variable] }] }],
    [
      '_meta of a prompt block',
      { prompt: [{ type: 'text', text: 'x', _meta: { key: { deep: [secret] } } }] },
    ],
    ['a number', { mcpServers: [{ env: [{ name: 'PIN', value: 12345678 }] }] }],
    ['env in env', { env: { name: { env: secret } } }],
    ['a name in _meta', { _meta: { name: secret } }],
    ['credentials in a URL', { mcpServers: [{ type: 'http', url: `https://user:${secret}@host/path` }] }],
    ['a password with an @', { mcpServers: [{ type: 'http', url: `https://user:@${secret}@host/path` }] }],
    ['a token in a query', { mcpServers: [{ type: 'http', url: `https://host/path?a=${secret}&b=1` }] }],
    ['credentials in a server that is a text', { mcpServers: [`https://user:${secret}@host`] }],
    ['credentials in an argument', { command: 'git', args: ['clone', `https://${secret}@host/repo`] }],
  ])('%s goes from a call, a result and an error', (_, params) => {
    for (const message of [
      { id: 1, method: 'session/new', params },
      { id: 1, method: 'session/request_permission', params },
      { id: 1, result: { received: [params] } },
      { id: 1, error: { code: -32000, message: 'no', data: { received: params } } },
      { method: 'session/update', params: { ...params, update: {} } },
    ]) {
      const text = JSON.stringify(redact(message));
      expect(text).not.toContain(secret);
      expect(text).not.toContain('12345678');
    }
  });

  test('a key named __proto__ stays a key', () => {
    const message = JSON.parse('{"params":{"env":{"__proto__":{"KEY":"hunter2"}}}}');
    expect(JSON.stringify(redact(message))).toBe('{"params":{"env":{"__proto__":{"KEY":"[redacted]"}}}}');
  });
});

test('what has no long text is the very same', () => {
  const message = { a: ['x'.repeat(10), 1, null, { b: true }] };
  expect(shorten(message, 10)).toBe(message);
  expect(shorten({ a: 'x'.repeat(9_999_999) }, Number.POSITIVE_INFINITY)).toHaveProperty(
    'a',
    'x'.repeat(9_999_999),
  );
});

test('only the long texts change, and the message itself does not', () => {
  const message = { a: ['short', 'x'.repeat(11)], b: { c: 'kept' } };
  const before = structuredClone(message);
  const shortened = shorten(message, 10) as typeof message;
  expect(shortened).toEqual({
    a: ['short', `${'x'.repeat(10)}… [1 more characters were left out of this trace]`],
    b: { c: 'kept' },
  });
  expect(shortened.b).toBe(message.b);
  expect(message).toEqual(before);
});

test('a character of two halves is not cut in the middle', () => {
  expect(shorten(`${'x'.repeat(9)}😀`, 10)).toBe(
    `${'x'.repeat(9)}… [2 more characters were left out of this trace]`,
  );
});
