import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  maxCookieLength,
  maxCookies,
  maxOrigins,
  memoryCookies,
} from '../../../../src/core/transport/http/cookies.ts';

const at = 'https://x/acp/v1';

/** The cookies that are sent to a URL, after a server has set some. */
async function sentTo(url: string, set: readonly string[], from = at): Promise<string> {
  const store = memoryCookies();
  for (const header of set) await store.setCookie(header, from);
  return store.getCookieString(url);
}

test.each<[string, string, string[], string, string]>([
  ['a cookie is sent back as it came', 'a=%20b', ['a=%20b'], at, at],
  ['nothing is sent where nothing was set', '', [], at, at],
  ['one without a name is left out', '', ['=x', ''], at, at],
  ['a WebSocket has the cookies of its server', 'a=1', ['a=1'], 'wss://x/acp/v1', at],
  ['a server has those of its WebSocket', 'a=1', ['a=1'], at, 'wss://x/acp/v1'],
  ['another port is another server', '', ['a=1'], 'https://x:8443/acp/v1', at],
  ['plain HTTP is another server', '', ['a=1'], 'http://x/acp/v1', at],
  ['Secure is kept over TLS', 'a=1', ['a=1; Secure'], at, at],
  ['Secure is kept over a WebSocket with TLS', 'a=1', ['a=1; Secure'], at, 'wss://x/acp/v1'],
  ['Secure is not taken from plain HTTP', '', ['a=1; Secure'], 'http://x/acp/v1', 'http://x/acp/v1'],
  ['Secure is not taken from a plain WebSocket', '', ['a=1; Secure'], 'ws://x/acp/v1', 'ws://x/acp/v1'],
  ['a later one replaces it', 'a=2', ['a=1', 'a=2'], at, at],
  ['one of the past removes it', '', ['a=1', 'a=1; Max-Age=0'], at, at],
  ['the path of the request covers what is beside it', 'a=1', ['a=1'], 'https://x/acp/v2', at],
  ['and nothing above it', '', ['a=1'], 'https://x/', at],
  ['at the top the path is /', 'a=1', ['a=1'], 'https://x/any/where', 'https://x/top'],
  ['a path that does not begin with / is that of the request', '', ['a=1; Path=x'], 'https://x/', at],
  ['a path covers itself', 'a=1', ['a=1; Path=/acp'], 'https://x/acp', at],
  ['a path with / at its end covers what is below', 'a=1', ['a=1; Path=/acp/'], at, at],
  ['a path does not cover what only begins like it', '', ['a=1; Path=/ac'], at, at],
  ['a path does not cover another one of its length', '', ['a=1; Path=/acp/v2'], at, at],
  ['the longest path is first', 'a=2; a=1', ['a=1; Path=/', 'a=2; Path=/acp'], at, at],
  ['one of another path stays', 'a=2', ['a=1; Path=/', 'a=2; Path=/acp', 'a=; Path=/; Max-Age=0'], at, at],
  ['its Domain makes no other server its own', '', ['a=1; Domain=x'], 'https://x/', 'https://y.x/'],
  ['its Domain does not keep it from its own', 'a=1', ['a=1; Domain=x'], 'https://y.x/', 'https://y.x/'],
  ['a Max-Age that says nothing is none', 'a=1; b=1', ['a=1; Max-Age=soon', 'b=1; Max-Age='], at, at],
  ['an Expires that says nothing is none', 'a=1', ['a=1; Expires=Fri, 99 Foo 2020 99:99:99 GMT'], at, at],
])('%s', async (_, sent, set, url, from) => {
  expect(await sentTo(url, set, from)).toBe(sent);
});

test('[security: remote-cookies] a cookie is not sent to a path that only begins like its own', async () => {
  const sent = (path: string) => sentTo(`https://x${path}`, ['a=1; Path=/acp']);
  for (const path of ['/acpx', '/acp/../other', '/acp/%2e%2e/other', '/ACP', '/acp%2f', '//acp']) {
    expect(await sent(path)).toBe('');
  }
  for (const path of ['/acp', '/acp/', '/acp/v1', '/other/../acp', '/acp?a', '/acp#a']) {
    expect(await sent(path)).toBe('a=1');
  }
});

test('[reliability: limit-cookies] a cookie of the longest length is kept, and a longer one is not', async () => {
  const longest = `a=${'x'.repeat(maxCookieLength - 2)}`;
  expect(await sentTo(at, [longest])).toBe(longest);
  expect(await sentTo(at, [`${longest}x`])).toBe('');
});

test('[reliability: limit-cookies] the server that set none for the longest time is forgotten first', async () => {
  const store = memoryCookies();
  const urlOf = (server: number) => `https://x${server}/`;
  for (let server = 0; server < maxOrigins; server++) await store.setCookie('a=1', urlOf(server));
  await store.setCookie('b=1', urlOf(0));
  await store.setCookie('a=1', urlOf(maxOrigins));
  const known = (server: number) => store.getCookieString(urlOf(server));
  expect([0, 1, 2, maxOrigins].map(known)).toEqual(['a=1; b=1', '', 'a=1', 'a=1']);
});

describe('[reliability: limit-cookies] a server that has as many cookies as are kept', () => {
  async function full(url: string) {
    const store = memoryCookies();
    const names = Array.from({ length: maxCookies }, (_, at) => `a${at}=1`);
    for (const cookie of names) await store.setCookie(cookie, url);
    return { store, names, kept: async () => (await store.getCookieString(url)).split('; ') };
  }

  test('loses the oldest with another one', async () => {
    const { store, names, kept } = await full(at);
    await store.setCookie('b=1', at);
    expect(await kept()).toEqual([...names.slice(1), 'b=1']);
  });

  test('loses none with one that is not kept', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const plain = 'http://x/acp/v1';
    const { store, names, kept } = await full(plain);
    for (const cookie of ['b=1; Max-Age=0', 'b=1; Max-Age=-1', 'b=1; Secure'])
      await store.setCookie(cookie, plain);
    expect(await kept()).toEqual(names);
  });
});

test('what a server sends as a cookie is not printed', async () => {
  const printed = (['warn', 'error'] as const).map((name) => vi.spyOn(console, name));
  onTestFinished(() => void vi.restoreAllMocks());
  const odd = ['__proto__=1', 'a=1; __proto__=2', 'a=1; Max-Age=never', 'a=1; Expires=never'];
  await sentTo(at, odd);
  expect(printed.map(({ mock }) => mock.calls)).toEqual([[], []]);
});

describe('a cookie with a time', () => {
  test.each([
    ['Max-Age=10', 10_000],
    ['Expires=Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['Max-Age=10; Expires=Thu, 01 Jan 2026 00:00:05 GMT', 10_000],
  ])('%s is sent until then', async (time, lastsMs) => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    onTestFinished(() => void vi.useRealTimers());
    const store = memoryCookies();
    await store.setCookie(`a=1; ${time}`, at);
    vi.setSystemTime(start + lastsMs - 1);
    expect(store.getCookieString(at)).toBe('a=1');
    vi.setSystemTime(start + lastsMs);
    expect(store.getCookieString(at)).toBe('');
  });
});
