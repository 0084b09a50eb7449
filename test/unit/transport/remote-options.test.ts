import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import {
  checkedHeaders,
  checkRemote,
  isEncrypted,
  isHeaderValue,
  isLoopback,
  type RemoteTransportOptions,
  urlForMessages,
} from '../../../src/core/transport/remote-options.ts';

const https = 'https://agents.example.com/acp';
/** A caller without types can pass anything. */
const check = (url: unknown, options: object = {}) =>
  checkRemote(url as string, options as RemoteTransportOptions);

const headerMessage =
  'headers must be an object of header names with their values, or a function that returns one';

test.each<[object, string]>([
  [{ headers: null }, headerMessage],
  [{ headers: 'secret' }, headerMessage],
  [{ headers: { 'two words': 'a' } }, headerMessage],
  [{ headers: { '': 'a' } }, headerMessage],
  [{ headers: { café: 'a' } }, headerMessage],
  [{ headers: { ok: 'a', name: 1 } }, headerMessage],
  [{ headers: { ok: 'a', name: 'a\nb' } }, headerMessage],
  [{ fetch: {} }, 'fetch must be a function; got an object'],
  [{ cookies: { getCookieString() {} } }, 'cookies must have getCookieString and setCookie; got an object'],
  [{ cookies: { setCookie() {} } }, 'cookies must have getCookieString and setCookie; got an object'],
  [{ WebSocket: 'ws' }, 'WebSocket must be a function, or false'],
  [{ openTimeoutMs: 0 }, 'openTimeoutMs must be a number of milliseconds above 0'],
  [{ requestTimeoutMs: -1 }, 'requestTimeoutMs must be a number of milliseconds above 0'],
  [{ idleTimeoutMs: '1' }, 'idleTimeoutMs must be a number of milliseconds above 0'],
  [{ maxMessageBytes: 0 }, 'maxMessageBytes must be a whole number from 1 to 9007199254740991'],
  [{ allowPlainHttp: 1 }, 'allowPlainHttp'],
  [{ timeout: 1 }, 'remoteTransport: timeout is not an option'],
])('the options %j are refused', (options, message) => {
  expect(() => check(https, options)).toThrow(InvalidParamsError);
  expect(() => check(https, options)).toThrow(message);
  expect(() => check(https, options)).toThrow('Nothing was sent.');
});

test('each option is taken, and may be undefined', () => {
  const options: Required<RemoteTransportOptions> = {
    headers: { "!#$%&'*+-.^_`|~09AZaz": '\t ~\x80\xff', empty: '' },
    fetch,
    cookies: { getCookieString: () => '', setCookie() {} },
    WebSocket: class {} as never,
    openTimeoutMs: 1,
    requestTimeoutMs: Number.POSITIVE_INFINITY,
    idleTimeoutMs: 0.5,
    maxMessageBytes: 1,
    allowPlainHttp: false,
  };
  expect(check(https, options).href).toBe(https);
  const none = Object.fromEntries(Object.keys(options).map((name) => [name, undefined]));
  expect(check(new URL(`${https}?a=b#part`), none).href).toBe(`${https}?a=b`);
});

test('a URL of a WebSocket is refused where there is to be none', () => {
  expect(check(https, { WebSocket: false }).href).toBe(https);
  expect(() => check('wss://a/', { WebSocket: false })).toThrow(
    'must begin with one of http://, https://; got wss://a/.',
  );
});

test.each([
  ['not a URL', 'must be a URL such as https://agents.example.com/acp; got not a URL.'],
  [undefined, 'must be a URL such as https://agents.example.com/acp; got undefined.'],
  ['http://ada:pass@:x?token=abc', 'got http://[redacted]@:x?token=[redacted].'],
  [
    'ftp://a/?token=abc#part',
    'must begin with one of ws://, wss://, http://, https://; got ftp://a/?token=[redacted].',
  ],
  ['https://ada@a/', 'url has a user name or a password. Pass them in the option headers, as Authorization.'],
  [
    'https://:pass@a/',
    'url has a user name or a password. Pass them in the option headers, as Authorization.',
  ],
])('the URL %s is refused, without its secrets', (url, message) => {
  expect(() => check(url)).toThrow(InvalidParamsError);
  expect(() => check(url)).toThrow(/^remoteTransport: url .*\. Nothing was sent\.$/);
  expect(() => check(url)).toThrow(message);
});

describe('headers over a network', () => {
  const headers = { authorization: 'secret' };
  test.each([
    [
      'http://a/?token=abc',
      'sent to http://a/?token=[redacted] without TLS',
      'Use https:, or pass allowPlainHttp',
    ],
    ['ws://a/', 'sent to ws://a/ without TLS', 'Use wss:, or pass allowPlainHttp'],
  ])('are refused for %s', (url, where, advice) => {
    expect(() => check(url, { headers })).toThrow(where);
    expect(() => check(url, { headers, allowPlainHttp: false })).toThrow(advice);
    expect(check(url, { headers, allowPlainHttp: true }).href).toBe(url);
    expect(check(url).href).toBe(url);
  });
});

test('URLs with TLS and names of this machine are known', () => {
  const urls = ['http://a', 'https://a', 'ws://a', 'wss://a', 'ftp://a'];
  expect(urls.filter((url) => isEncrypted(new URL(url)))).toEqual(['https://a', 'wss://a']);
  const own = ['localhost', '[::1]', '127.0.0.1', '127.255.255.255', '127.1.22.333'];
  const others = [
    'app.localhost',
    'localhost.a',
    '[2001:db8::1]',
    '::1',
    '[::2]',
    '127.0.0',
    '127.0.0.1.a',
    'a127.0.0.1',
    '127.0.0.1234',
    '127.0.0.x',
  ];
  expect([...own, ...others].filter(isLoopback)).toEqual(own);
});

test('a URL in a message has no values of its query and no fragment', () => {
  expect(urlForMessages(new URL('https://a/b?c=d&e#f?g=h#i'))).toBe('https://a/b?c=[redacted]&[redacted]');
});

test('what a function returned as headers is checked', () => {
  expect(checkedHeaders({ name: 'value' })).toEqual({ name: 'value' });
  for (const wrong of [undefined, null, 'a', { name: 'a\r\nb: c' }, { name: undefined }]) {
    expect(() => checkedHeaders(wrong)).toThrow(
      /^The function headers must return an object of header names/,
    );
    expect(() => checkedHeaders(wrong)).toThrow(InvalidParamsError);
  }
  expect(['', 'a b', '\t', '\x7f', '\0', '\x1f', 'a\n', '\u0100'].map(isHeaderValue)).toEqual([
    ...[true, true, true],
    ...[false, false, false, false, false],
  ]);
});
