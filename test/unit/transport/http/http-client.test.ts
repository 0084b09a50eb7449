import { describe, expect, test, vi } from 'vitest';
import { ConnectionClosedError, HttpError } from '../../../../src/core/base/errors.ts';
import { HttpClient } from '../../../../src/core/transport/http/http-client.ts';
import type { RemoteTransportOptions } from '../../../../src/core/transport/remote-options.ts';
import { passTime, stopClock } from '../../../support/timed-acp-server.ts';

const url = new URL('https://agents.example.com/acp');

/** A client whose requests are answered one after the other. The last answer is repeated. */
function make(answers: readonly (() => Response)[], options: RemoteTransportOptions = {}) {
  const sent: { readonly url: string; readonly init: RequestInit }[] = [];
  const secrets: string[] = [];
  const control = new AbortController();
  const client = new HttpClient(
    url,
    {
      fetch: async (to, init = {}) => {
        sent.push({ url: String(to), init });
        const answer = answers[Math.min(sent.length, answers.length) - 1];
        return answer ? answer() : new Promise<never>(() => {});
      },
      ...options,
    },
    (found) => secrets.push(...found),
  );
  const request = { what: 'a test', timeoutMs: 1000, signal: control.signal, headers: { own: '1' } };
  return {
    client,
    sent,
    secrets,
    control,
    get: () => client.send({ method: 'GET', ...request }),
    post: () => client.send({ method: 'POST', body: 'message', ...request }),
  };
}

const ok = () => new Response('yes');
const refused = (status: number, headers = {}) => new Response(null, { status, headers });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a request', () => {
  test('has the cookie of the caller and those of the store', async () => {
    const cookies = { getCookieString: () => 'stored-cookie=2', setCookie() {} };
    const { sent, secrets, get } = make([ok], { headers: { cookie: 'given-cookie=1' }, cookies });
    await get();
    expect(new Headers(sent[0]?.init.headers).get('cookie')).toBe('given-cookie=1; stored-cookie=2');
    expect(secrets).toContain('stored-cookie=2');
  });

  test('is not sent with a text of the store that no header can have', async () => {
    const cookies = { getCookieString: () => 'a=1\r\nb: 2', setCookie() {} };
    const { sent, get } = make([ok], { cookies });
    expect(await failure(get())).toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('Nothing was sent. Check the store.'),
    });
    expect(sent).toEqual([]);
  });

  test('leaves no timer, however it ends', async () => {
    stopClock();
    const fails = () => {
      throw new TypeError('fetch failed');
    };
    for (const answer of [ok, fails]) await failure(make([answer]).get());
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is refused for another reason than 401 asks for no new headers', async () => {
    let calls = 0;
    const { sent, get } = make([() => refused(500)], { headers: () => ({ a: `${++calls}` }) });
    expect(await failure(get())).toMatchObject({ status: 500 });
    expect([calls, sent.length]).toEqual([1, 1]);
  });
});

describe('the function headers', () => {
  test('that does not return keeps no request longer than its signal', async () => {
    const { client, control, sent, get } = make([ok], { headers: () => new Promise(() => {}) });
    const both = [failure(get()), failure(client.upgradeHeaders(control.signal))];
    const reason = new Error('given up');
    control.abort(reason);
    expect(await Promise.all(both)).toEqual([reason, reason]);
    expect(sent).toEqual([]);
  });

  test('that throws is what failed, with its cause', async () => {
    const cause = new Error('no token');
    const { sent, get } = make([ok], {
      headers: () => {
        throw cause;
      },
    });
    const error = await failure(get());
    expect(error).toBeInstanceOf(ConnectionClosedError);
    expect(error).toMatchObject({
      message: 'The function headers failed: no token. Nothing was sent.',
      cause,
    });
    expect(sent).toEqual([]);
  });
});

describe('a request that the server postpones', () => {
  const later = (seconds: number) => refused(503, { 'retry-after': `${seconds}` });

  test('is sent again after the longest wait, and not after a longer one', async () => {
    stopClock();
    const { sent, get } = make([() => later(60), ok]);
    const answered = get();
    await passTime(59_999);
    expect(sent).toHaveLength(1);
    await passTime(1);
    expect((await answered).ok).toBe(true);
    const other = make([() => later(61), ok]);
    expect(await failure(other.get())).toMatchObject({ status: 503 });
  });

  test('and that is given up meanwhile fails as it was refused', async () => {
    stopClock();
    const { sent, control, get } = make([() => later(10)]);
    const failed = failure(get());
    await passTime(1000);
    control.abort(new Error('given up'));
    expect(await failed).toBeInstanceOf(HttpError);
    expect(sent).toHaveLength(1);
  });
});

describe('a redirect', () => {
  test('has a status of a redirect and a place', async () => {
    const { sent, get } = make([() => new Response('yes', { status: 201, headers: { location: '/other' } })]);
    expect(await (await get()).text()).toBe('yes');
    const nowhere = make([() => refused(307)]);
    expect(await failure(nowhere.get())).toMatchObject({ status: 307 });
    const nonsense = make([() => refused(307, { location: 'http://' })]);
    expect(await failure(nonsense.get())).toMatchObject({ status: 307 });
    expect([sent, nowhere.sent, nonsense.sent].map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  test('of a browser does not say where to, which is the error', async () => {
    const { get } = make([() => Object.defineProperty(ok(), 'type', { value: 'opaqueredirect' })]);
    expect(await failure(get())).toMatchObject({
      code: 'connection.closed',
      message:
        'a test: https://agents.example.com/acp redirects, and a browser does not say where to. Use the final URL.',
    });
  });
});

test('a platform that does not show cookies sets none', async () => {
  const set: string[] = [];
  const withoutCookies = () => {
    const response = ok();
    Object.defineProperty(response.headers, 'getSetCookie', { value: undefined });
    return response;
  };
  const cookies = { getCookieString: () => '', setCookie: (header: string) => void set.push(header) };
  const { get } = make([withoutCookies], { cookies });
  expect(await (await get()).text()).toBe('yes');
  expect(set).toEqual([]);
});
