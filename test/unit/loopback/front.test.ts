import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { isToken, newToken, pageRefusalOf, readBody, refusalOf } from '../../../src/node/loopback/front.ts';

const token = newToken();
const port = 4711;
const good: Readonly<Record<string, string>> = {
  host: `127.0.0.1:${port}`,
  authorization: `Bearer ${token}`,
};

interface Parts {
  readonly method?: string;
  readonly url?: string;
  /** Headers beside those of a good request, or in their place. `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request whose headers have come. */
function request({ method = 'GET', url = '/mcp', headers = {} }: Parts): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  message.url = url;
  for (const [name, given] of Object.entries({ ...good, ...headers })) {
    if (given === undefined) continue;
    const values = typeof given === 'string' ? [given] : [...given];
    message.headers[name] = values[0];
    message.headersDistinct[name] = values;
  }
  return message;
}

const refusedTo = {
  'a program': (parts: Parts) =>
    refusalOf(request(parts), {
      port,
      token,
      methodsOf: (url) => (url === '/mcp' ? ['GET', 'POST'] : undefined),
    }),
  'the own page': (parts: Parts) =>
    pageRefusalOf(request(parts), {
      port,
      token,
      methodsOf: (url) => (url === '/mcp' ? ['GET', 'POST'] : url === '/' ? ['GET'] : undefined),
      isPublic: (url) => url === '/',
    }),
};

describe.each(Object.entries(refusedTo))('a request of %s', (_, refusal) => {
  test.each<[string, Parts]>([
    ['of this address', {}],
    ['of localhost', { headers: { host: `localhost:${port}` } }],
    ['with another method that is served', { method: 'POST' }],
    ['with the scheme in other letters', { headers: { authorization: `bEARER ${token}` } }],
  ])('is served: %s', (_, parts) => {
    expect(refusal(parts)).toBeUndefined();
  });

  test.each<[number, string, Parts]>([
    [400, 'The header host is there more than once.', { headers: { host: [`127.0.0.1:${port}`, 'x'] } }],
    [400, 'The header authorization is', { headers: { authorization: [`Bearer ${token}`, 'x'] } }],
    [400, 'The header origin is', { headers: { origin: ['http://x', 'http://y'] } }],
    [403, 'The header Host names another host.', { headers: { host: `localhost:${port + 1}` } }],
    [403, 'The header Host names another host.', { headers: { host: undefined } }],
    [401, 'The token in the header Authorization is wrong.', { headers: { authorization: undefined } }],
    [401, 'The token', { headers: { authorization: token } }],
    [401, 'The token', { headers: { authorization: `x Bearer ${token}` } }],
    [401, 'The token', { headers: { authorization: `Bearer ${token.slice(1)}` } }],
    [404, 'There is nothing at this path.', { url: '/other' }],
    [405, 'The method is not served.', { method: 'DELETE' }],
  ])('is refused with %i: %s', (status, reason, parts) => {
    expect(refusal(parts)).toEqual({ status, reason: expect.stringContaining(reason) });
  });
});

describe('a request of a browser', () => {
  const own = `http://127.0.0.1:${port}`;

  test.each([{ origin: own }, { 'sec-fetch-site': 'none' }, { origin: '' }])(
    'is refused where only programs may ask: %j',
    (headers) => {
      const refused = { status: 403, reason: 'Pages in a browser are not served.' };
      expect(refusedTo['a program']({ headers })).toEqual(refused);
    },
  );

  test.each([
    {},
    { origin: own },
    { 'sec-fetch-site': 'same-origin', origin: own },
    { 'sec-fetch-site': 'none' },
  ])('is served if the own page or the user sent it: %j', (headers) => {
    expect(refusedTo['the own page']({ headers })).toBeUndefined();
  });

  test.each([
    { origin: 'http://attacker.example' },
    { origin: `http://localhost:${port}` },
    { origin: own, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is refused if another page sent it: %j', (headers) => {
    const refused = { status: 403, reason: 'Other pages are not served.' };
    expect(refusedTo['the own page']({ headers })).toEqual(refused);
  });

  test.each(['sec-fetch-site', 'content-type', 'x-panel-page'])(
    'is refused if a header of pages is there twice: %s',
    (name) => {
      const headers = { [name]: ['none', 'none'] };
      expect(refusedTo['the own page']({ headers })).toMatchObject({ status: 400 });
    },
  );

  test('needs the token but for what is public', () => {
    const headers = { authorization: undefined };
    expect(refusedTo['the own page']({ url: '/', headers })).toBeUndefined();
    expect(refusedTo['the own page']({ headers })).toMatchObject({ status: 401 });
    expect(refusedTo['the own page']({ url: '/', method: 'POST', headers })).toMatchObject({ status: 405 });
  });
});

test('a token is random, and no other text is it', () => {
  expect(newToken()).not.toBe(newToken());
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(isToken(token, token)).toBe(true);
  for (const other of ['', token.slice(1), `${token}a`, token.toLowerCase()]) {
    expect(isToken(other, token)).toBe(false);
  }
});

describe('a body', () => {
  /** A request whose body comes in parts. */
  function body(parts: readonly string[], headers: Readonly<Record<string, string>> = {}): IncomingMessage {
    const source = Readable.from(parts.map((part) => Buffer.from(part)));
    // What `readBody` uses of a request.
    return Object.assign(source, { headers }) as unknown as IncomingMessage;
  }

  test.each<[readonly string[], Readonly<Record<string, string>>]>([
    [['12345', '67890'], {}],
    [['1234567890'], { 'content-length': '10' }],
    [['1234567890'], { 'content-length': 'x' }],
  ])('of the limit is read: %j', async (parts, headers) => {
    expect(await readBody(body(parts, headers), 10)).toEqual({ body: Buffer.from('1234567890') });
  });

  test('without content is read', async () => {
    expect(await readBody(body([]), 10)).toEqual({ body: Buffer.alloc(0) });
  });

  test.each<[readonly string[], Readonly<Record<string, string>>]>([
    [['12345', '678901'], {}],
    [['1'], { 'content-length': '11' }],
  ])('over the limit is refused, and the request can be answered: %j', async (parts, headers) => {
    const given = body(parts, headers);
    expect(await readBody(given, 10)).toEqual({ status: 413, reason: 'The body has more than 10 bytes.' });
    expect(given.destroyed).toBe(false);
  });

  test('that is compressed is refused', async () => {
    expect(await readBody(body(['x'], { 'content-encoding': 'gzip' }), 10)).toMatchObject({ status: 415 });
  });
});
