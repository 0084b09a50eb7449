import { describe, expect, test } from 'vitest';
import { preview } from '../../../src/core/base/diagnostic.ts';
import {
  ConnectionClosedError,
  ExitError,
  InvalidParamsError,
  RemoteError,
} from '../../../src/core/base/errors.ts';
import { maxKnownCharacters, maxKnownTexts } from '../../../src/core/base/known-texts.ts';
import {
  SentSecrets,
  secretsIn,
  withoutQueryValues,
  withoutUrlCredentials,
} from '../../../src/core/base/secrets.ts';

const secret = 'hunter2-hunter2';

describe('the secrets of a call', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['the value of a variable', { mcpServers: [{ env: [{ name: 'LONG_NAME', value: secret }] }] }, [secret]],
    ['the values of an object', { env: { LONG_NAME: secret } }, [secret]],
    ['a header, and its token', { headers: { Auth: `Bearer ${secret}` } }, [`Bearer ${secret}`, secret]],
    ['the metadata of a variable', { env: [{ name: 'A', value: '', _meta: { name: secret } }] }, [secret]],
    ['a password in a URL', { url: `https://user:${secret}@host` }, [`user:${secret}`, secret]],
    ['short values are none', { env: { A: 'true', B: '1234567' }, url: 'https://a:b@host' }, []],
    ['metadata', { methodId: 'api-key-1', _meta: { key: { deep: [secret] } } }, [secret]],
    ['metadata of a part', { prompt: [{ text: 'A long text.', _meta: { key: secret } }] }, [secret]],
    [
      'the query of the URL of an MCP server, as it is written and as it is meant',
      { mcpServers: [{ type: 'http', url: 'https://host/a?id=1&key=abc%2Fdefg&plain-token#end-of-url' }] },
      ['abc%2Fdefg', 'plain-token', 'abc/defg'],
    ],
    [
      'the query of another URL is none',
      { url: `https://host?key=${secret}`, mcpServers: ['?longer-text'] },
      [],
    ],
    ['other values are none', { cwd: '/home/user', prompt: [{ text: 'A long text.' }] }, []],
  ])('%s', (_, params, secrets) => {
    expect(secretsIn(params)).toEqual(secrets);
  });

  test('are found in parameters that JSON cannot express', () => {
    const circle: Record<string, unknown> = { env: { KEY: secret } };
    circle['self'] = [circle, circle];
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(secretsIn({ circle, deep })).toEqual([secret]);
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
    ['hunter2-\x1b[0mhunter2', '[redacted]'],
    ['hun\u200bter2-\x00hunter2 and \x1b[1mmore', '[redacted] and more'],
    ['no secret in \x1b[1mhunter2-', 'no secret in \x1b[1mhunter2-'],
  ])('%s', (text, expected) => {
    expect(sent.removeFromText(text)).toBe(expected);
  });

  const named = {
    id: secret,
    type: secret,
    kind: secret,
    role: secret,
    status: secret,
    method: secret,
    requestId: secret,
  };
  const redacted = Object.fromEntries(Object.keys(named).map((key) => [key, '[redacted]']));

  test('is replaced in a message, but for names and ids of the protocol', () => {
    const message = { method: 'session/update', params: { update: { ...named, title: `a ${secret}` } } };
    expect(sent.removeFromMessage(message)).toEqual({
      method: 'session/update',
      params: { update: { ...named, title: 'a [redacted]' } },
    });
    const harmless = { list: [{ a: 1 }] };
    expect(sent.removeFromMessage(harmless)).toBe(harmless);
    expect(new SentSecrets().removeFromMessage(message)).toBe(message);
  });

  test.each<[string, (content: object) => object]>([
    ['an object under such a name', (content) => ({ result: { status: { title: content } } })],
    ['the data of an error', (content) => ({ error: { code: 1, data: content } })],
    ['the data of an error, at any depth', (content) => ({ error: { data: { type: [{ id: content }] } } })],
    ['metadata', (content) => ({ params: { _meta: content } })],
    ['the input of a tool', (content) => ({ params: { update: { rawInput: content } } })],
    ['the output of a tool', (content) => ({ params: { update: { rawOutput: content } } })],
    ['an extension', (content) => ({ method: '_x', params: content })],
  ])('is replaced under every name in %s', (place, messageWith) => {
    // An object under a name is still of the protocol.
    const content = place.startsWith('an object') ? { text: secret } : named;
    const expected = place.startsWith('an object') ? { text: '[redacted]' } : redacted;
    expect(sent.removeFromMessage(messageWith(content))).toEqual(messageWith(expected));
  });

  test('is replaced in keys', () => {
    const message = {
      error: { data: { [secret]: 1, [`a ${secret}`]: { [secret]: 2 } } },
      result: { [secret]: 3 },
    };
    expect(sent.removeFromMessage(message)).toEqual({
      error: { data: { '[redacted]': 1, 'a [redacted]': { '[redacted]': 2 } } },
      result: { '[redacted]': 3 },
    });
  });

  test('is no name of a field of the protocol, but is one in free content', () => {
    const words = new SentSecrets();
    words.add(['sessionId']);
    const params = { sessionId: 's1', _meta: { sessionId: 1 } };
    expect(words.removeFromMessage({ params })).toEqual({
      params: { ...params, _meta: { '[redacted]': 1 } },
    });
  });

  test('is replaced whole if it begins with another secret', () => {
    const nested = new SentSecrets();
    nested.add(['12345678', '12345678-longer', '12345678-lo']);
    expect(nested.removeFromText('12345678-longer 12345678-lo- 12345678.')).toBe(
      '[redacted] [redacted]- [redacted].',
    );
    expect(nested.removeFromText('12345678-long…')).toBe('[redacted]…');
  });

  test('is replaced whole if it overlaps another secret, or begins with the same characters', () => {
    const alike = new SentSecrets();
    alike.add(['same-beginning-1', 'same-beginning-22', 'beginning-22-of-three']);
    expect(alike.removeFromText('same-beginning-22-of-three, same-beginning-1same-beginning-22')).toBe(
      '[redacted], [redacted][redacted]',
    );
    expect(alike.removeFromText('same-beginning-3 beginning-22')).toBe('same-beginning-3 beginning-22');
  });

  test('is replaced in an error, its stack, its data and its cause', () => {
    const remote = new RemoteError(`no ${secret}`, {
      method: 'session/new',
      rpcCode: 1,
      data: { list: [secret], type: secret, [secret]: { id: { kind: secret } } },
      agentMessage: secret,
    });
    const error = new InvalidParamsError(`wrong ${secret}`, {
      cause: remote,
      issues: [{ path: 'a', message: secret }],
    });
    expect(sent.removeFromError(error)).toBe(error);
    expect(error.message).toBe('wrong [redacted]');
    expect(error).toMatchObject({ issues: [{ path: 'a', message: '[redacted]' }] });
    expect(remote).toMatchObject({
      message: 'no [redacted]',
      data: {
        list: ['[redacted]'],
        type: '[redacted]',
        '[redacted]': { id: { kind: '[redacted]' } },
      },
    });
    const exited = new ExitError('exited', { exitCode: 1, signal: null, stderrTail: `KEY=${secret}` });
    expect(sent.removeFromError(exited).stderrTail).toBe('KEY=[redacted]');
    const closed = new ConnectionClosedError('closed', { exit: exited });
    expect(sent.removeFromError(closed).exit?.stderrTail).toBe('KEY=[redacted]');
    expect(`${error.stack}${remote.stack}${remote.agentMessage}`).not.toContain(secret);
  });

  test('is not replaced in an error of the caller', () => {
    const reason = new Error(secret);
    expect(sent.removeFromError(reason).message).toBe(secret);
  });

  test('[reliability: limit-secrets] is found if it is one of the last values', () => {
    const many = new SentSecrets();
    many.add(['used-again']);
    // With all values compared for each of them, this would take hours.
    for (let n = 0; n < 200_000; n++) {
      many.add([`secret-${n}-`]);
      if (n % 500 === 0) many.add(['used-again']);
      if (n % 1000 === 0) expect(many.removeFromText(`secret-${n}-`)).toBe('[redacted]');
    }
    const oldest = 200_000 - maxKnownTexts + 1;
    expect(many.removeFromText(`secret-${oldest - 1}- secret-${oldest}- secret-199999- used-again`)).toBe(
      `secret-${oldest - 1}- [redacted] [redacted] [redacted]`,
    );
  });

  test('[reliability: limit-secrets] is found if it is long, up to the limit of all together', () => {
    const long = new SentSecrets();
    const half = 'x'.repeat(maxKnownCharacters / 2);
    long.add([`1${half.slice(1)}`, `2${half.slice(1)}`]);
    expect(long.removeFromText(`1${half.slice(1)}`)).toBe('[redacted]');
    long.add(['a-third-value']);
    expect(long.removeFromText(`2${half.slice(1)}a-third-value`)).toBe('[redacted][redacted]');
    expect(long.removeFromText(`1${half.slice(1)}`)).toContain('xxx');
    long.add([`${half}${half}x`]);
    expect(long.removeFromText('a-third-value')).toBe('[redacted]');
  });
});

test.each([
  [
    'https://host/a?token=x&b=&c&d=e=f#g?h=i',
    'https://host/a?token=[redacted]&b=&[redacted]&d=[redacted]#g?h=i',
  ],
  ['https://host/?', 'https://host/?'],
  ['https://host/#a?b=c', 'https://host/#a?b=c'],
  ['https://host/a=b', 'https://host/a=b'],
])('the values in the query of %s are replaced', (url, expected) => {
  expect(withoutQueryValues(url)).toBe(expected);
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
