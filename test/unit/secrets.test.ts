import { describe, expect, test } from 'vitest';
import { preview } from '../../src/diagnostic.ts';
import { InvalidParamsError, RemoteError } from '../../src/errors.ts';
import { SentSecrets, secretsIn, withoutUrlCredentials } from '../../src/secrets.ts';

const secret = 'hunter2-hunter2';

describe('the secrets of a call', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['the value of a variable', { mcpServers: [{ env: [{ name: 'LONG_NAME', value: secret }] }] }, [secret]],
    ['the values of an object', { env: { LONG_NAME: secret } }, [secret]],
    ['a header, and its token', { headers: { Auth: `Bearer ${secret}` } }, [`Bearer ${secret}`, secret]],
    ['the metadata of a variable', { env: [{ name: 'A', value: '', _meta: { name: secret } }] }, [secret]],
    ['a password in a URL', { url: `https://user:${secret}@host` }, [`user:${secret}`, secret]],
    ['short values are none', { env: { A: 'true', B: '1234567' }, url: 'https://a:b@host' }, []],
    [
      'other values are none',
      { cwd: '/home/user', prompt: [{ text: 'A long text.' }], _meta: { a: secret } },
      [],
    ],
  ])('%s', (_, params, secrets) => {
    expect(secretsIn('session/new', params)).toEqual(secrets);
  });

  test.each(['authenticate', 'auth/login'])('the metadata of %s', (method) => {
    expect(secretsIn(method, { methodId: 'api-key-1', _meta: { key: secret } })).toEqual([secret]);
  });

  test('are found in parameters that JSON cannot express', () => {
    const circle: Record<string, unknown> = { env: { KEY: secret } };
    circle['self'] = [circle, circle];
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(secretsIn('_x', { circle, deep })).toEqual([secret]);
  });
});

describe('what an agent sends back', () => {
  const sent = new SentSecrets();
  sent.add([secret, 'a "quoted" one', 'x.*y+z$^(']);

  test.each([
    [`key ${secret} is wrong`, 'key [redacted] is wrong'],
    [JSON.stringify({ a: 'a "quoted" one' }), '{"a":"[redacted]"}'],
    ['x.*y+z$^( and xABCy', '[redacted] and xABCy'],
    ['a text cut off in hunter2-…', 'a text cut off in [redacted]…'],
    ['https://me:short@host/', 'https://[redacted]@host/'],
    ['harmless', 'harmless'],
  ])('%s', (text, expected) => {
    expect(sent.removeFromText(text)).toBe(expected);
  });

  test('is replaced in JSON, but for names and ids of the protocol', () => {
    const update = { sessionUpdate: secret, toolCallId: secret, status: secret, title: `a ${secret}` };
    expect(sent.removeFromJson({ update: [update] })).toEqual({
      update: [{ ...update, title: 'a [redacted]' }],
    });
    const harmless = { list: [{ a: 1 }] };
    expect(sent.removeFromJson(harmless)).toBe(harmless);
  });

  test('is replaced in an error, its stack, its data and its cause', () => {
    const remote = new RemoteError(`no ${secret}`, {
      method: 'session/new',
      rpcCode: 1,
      data: { list: [secret] },
      agentMessage: secret,
    });
    const error = new InvalidParamsError(`wrong ${secret}`, {
      cause: remote,
      issues: [{ path: 'a', message: secret }],
    });
    expect(sent.removeFromError(error)).toBe(error);
    expect(error.message).toBe('wrong [redacted]');
    expect(error).toMatchObject({ issues: [{ path: 'a', message: '[redacted]' }] });
    expect(remote).toMatchObject({ message: 'no [redacted]', data: { list: ['[redacted]'] } });
    expect(`${error.stack}${remote.stack}${remote.agentMessage}`).not.toContain(secret);
  });

  test('is not replaced in an error of the caller', () => {
    const reason = new Error(secret);
    expect(sent.removeFromError(reason).message).toBe(secret);
  });

  test('is found among a thousand secrets, and no more are kept', () => {
    const many = new SentSecrets();
    many.add(Array.from({ length: 5000 }, (_, n) => `secret-${n}-`));
    expect(many.removeFromText('secret-7- secret-4999-')).toBe('[redacted] secret-4999-');
  });
});

describe('user names and passwords in URLs', () => {
  test.each([
    ['git+ssh://git@host/a', 'git+ssh://[redacted]@host/a'],
    ['http://a:b@c and http://d:e@f', 'http://[redacted]@c and http://[redacted]@f'],
    ['https://host/@scope/package', 'https://host/@scope/package'],
    ['https://host?a=b@c', 'https://host?a=b@c'],
    ['me@example.org', 'me@example.org'],
  ])('%s', (text, expected) => {
    expect(withoutUrlCredentials(text)).toBe(expected);
  });

  test('are found in linear time', () => {
    for (const text of [
      '://'.repeat(2_000_000),
      `://${'a'.repeat(8_000_000)}`,
      `://${'@'.repeat(8_000_000)}`,
    ]) {
      // Quadratic time would be hours, beyond the time limit of a test.
      expect(withoutUrlCredentials(text)).toContain('://');
    }
  });

  test('are not in a preview, also where it is cut off in one', () => {
    const password = 'S3CR3T'.repeat(20);
    const url = `${'x'.repeat(200)} https://user:${password}@host/`;
    for (const value of [url, { url }, [[url]]]) expect(preview(value)).not.toContain('S3CR3T');
  });
});
