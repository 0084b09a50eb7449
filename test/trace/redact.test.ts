import { expect, test } from 'vitest';
import { redact } from '../../src/trace/redact.ts';

const secret = 'hunter2';

function request(params: object) {
  return { jsonrpc: '2.0', id: 1, method: 'session/new', params };
}

test('secrets of MCP servers go, and their names stay', () => {
  const message = request({
    cwd: '/p',
    mcpServers: [
      { name: 'a', command: '/bin/a', args: ['--fast'], env: [{ name: 'TOKEN', value: secret }] },
      { type: 'http', name: 'b', url: 'https://b', headers: [{ name: 'Authorization', value: secret }] },
      { name: 'c', command: '/bin/c', env: { KEY: secret } },
      null,
    ],
  });
  const before = structuredClone(message);
  expect(redact(message)).toEqual(
    request({
      cwd: '/p',
      mcpServers: [
        { name: 'a', command: '/bin/a', args: ['--fast'], env: [{ name: 'TOKEN', value: '[redacted]' }] },
        {
          type: 'http',
          name: 'b',
          url: 'https://b',
          headers: [{ name: 'Authorization', value: '[redacted]' }],
        },
        { name: 'c', command: '/bin/c', env: { KEY: '[redacted]' } },
        null,
      ],
    }),
  );
  expect(message).toEqual(before);
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
    { method: 'session/update', params: { update: { rawInput: { env: { A: 'b' } } }, env: 'kept' } },
  ],
  ['a response', { jsonrpc: '2.0', id: 1, result: { env: 'kept' } }],
  ['a call without parameters', { jsonrpc: '2.0', id: 1, method: 'logout' }],
  ['no message', 'text'],
  ['nothing', null],
])('%s is as it was', (_, message) => {
  expect(redact(message)).toBe(message);
});

test.each(['authenticate', 'auth/login'])('the metadata of %s goes: agents take keys in it', (method) => {
  const message = { id: 1, method, params: { methodId: 'key', _meta: { 'api-key': 'hunter2' } } };
  expect(redact(message)).toEqual({
    id: 1,
    method,
    params: { methodId: 'key', _meta: { 'api-key': '[redacted]' } },
  });
});

test('what a way to log in adds to the environment goes', () => {
  const result = { protocolVersion: 1, authMethods: [{ id: 'a', env: { KEY: 'hunter2' } }, null] };
  expect(redact({ id: 0, result })).toEqual({
    id: 0,
    result: { protocolVersion: 1, authMethods: [{ id: 'a', env: { KEY: '[redacted]' } }, null] },
  });
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
