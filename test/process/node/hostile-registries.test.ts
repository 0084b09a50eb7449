import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { registry } from '../../../src/agents/registry/open.ts';
import { TimeoutError } from '../../../src/core/base/errors.ts';
import { eventually } from '../../support/eventually.ts';
import {
  entry,
  rawServer,
  registryServer,
  registryText,
  sends,
  status,
  type TestServer,
} from '../../support/registry-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { neverComesMs } from '../../support/time.ts';

const maxBytes = 64 * 1024;
const good = registryText(entry('one'));

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

interface Case {
  readonly title: string;
  readonly answer: RequestListener;
  /** Default: `protocol.message`. */
  readonly code?: string;
  readonly says: RegExp;
  readonly timeoutMs?: number;
  /** What else the error has. */
  readonly more?: object;
}

type Redirect = readonly [where: string, code: number, location: string | undefined, says: RegExp];

const redirects: readonly Redirect[] = [
  [
    'to http',
    302,
    'http://example.com/registry.json',
    /to http:\/\/example\.com, and only https is followed/,
  ],
  ['to itself', 301, '/registry.json', /to http:\/\/127\.0\.0\.1:\d+, and only https is followed/],
  ['to a file', 307, 'file:///etc/passwd', /to file:\/\/, and only https is followed/],
  ['to data', 308, `data:application/json,${encodeURIComponent(good)}`, /to data:/],
  ['with a user name', 302, 'https://user@127.0.0.1:9/r.json', /to https:\/\/127\.0\.0\.1:9, and/],
  ['with a password', 302, 'https://:password@127.0.0.1:9/r.json', /to https:\/\/127\.0\.0\.1:9, and/],
  ['to nowhere', 302, undefined, /to no address/],
];

const compressed = (body: Uint8Array): RequestListener => sends(body, { 'content-encoding': 'gzip' });

/** Servers that do something wrong, by the error that this is. */
const groups: readonly (Omit<Case, 'title' | 'answer'> & {
  readonly answers: Readonly<Record<string, RequestListener>>;
})[] = [
  {
    code: 'protocol.message_too_large',
    says: /sends more than 65536 bytes\. Check that this is the address of a registry\./,
    answers: {
      'an answer without an end': (_request, response) => {
        const write = () => {
          while (!response.destroyed && response.write('x'.repeat(1000)));
        };
        response.on('drain', write);
        write();
      },
      'the announcement of a giant answer': (_request, response) => {
        response.writeHead(200, { 'content-length': '99999999999' });
        response.write('{');
      },
      'an answer that grows when it is decompressed': compressed(gzipSync(Buffer.alloc(50_000_000, ' '))),
    },
  },
  {
    // A limit ends a fetch that would never end by itself.
    code: 'timeout',
    says: /did not send everything within 300 ms/,
    timeoutMs: neverComesMs,
    more: { timeoutMs: neverComesMs },
    answers: {
      'an answer in single bytes': (_request, response) => {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
      'no answer': () => {},
      'headers and nothing more': (_request, response) => response.writeHead(200).flushHeaders(),
      'a part of the content and nothing more': (_request, response) => {
        response.write(good.slice(0, 20));
      },
    },
  },
  {
    code: 'connection.closed',
    says: /cannot be fetched: .+\. Check the network, its proxy and the address\./,
    more: { cause: expect.any(Error) },
    answers: {
      'a connection that breaks': (request, response) => {
        response.write(good.slice(0, 20), () => request.socket.destroy());
      },
      'fewer bytes than announced': (request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write(good, () => request.socket.end());
      },
      'an end after the last byte that is allowed': (request, response) => {
        response.write(' '.repeat(maxBytes), () => request.socket.end());
      },
      'content that is not compressed as announced': sends(good, { 'content-encoding': 'gzip' }),
      'compressed content that ends too early': compressed(gzipSync(good).subarray(0, -20)),
      'another protocol': (request) => {
        request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      },
      'headers that are too long': sends(good, { 'x-long': 'x'.repeat(100_000) }),
    },
  },
];

// test/unit/node/registry/content.test.ts has more contents that are no registry.
const cases: readonly Case[] = [
  ...groups.flatMap(({ answers, ...error }) =>
    Object.entries(answers).map(([title, answer]) => ({ title, answer, ...error })),
  ),
  {
    title: 'a length that is too small',
    answer: (request) => {
      request.socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n${good}`);
    },
    says: /sent is not JSON: .+\. Check the address/,
  },
  ...['br', 'gzip, gzip'].map((encoding) => ({
    title: `the compression ${encoding}, which the request did not offer`,
    answer: sends(good, { 'content-encoding': encoding }),
    says: new RegExp(`compresses with ${encoding}, and not with gzip`),
  })),
  ...redirects.map(([where, code, location, says]) => ({
    title: `a redirect ${where}`,
    answer: status(code, location === undefined ? {} : { location }),
    says,
  })),
  ...[500, 404, 204, 206].map((code) => ({
    title: `the status ${code}`,
    answer: status(code),
    says: new RegExp(`answered with the status ${code}`),
  })),
];

describe.each(cases)('[security: registry-fetch] $title:', (each) => {
  const { answer, code = 'protocol.message', says, timeoutMs = 30_000, more } = each;
  const open = ({ url }: TestServer) => registry({ url, cacheFolder: folder, maxBytes, timeoutMs });
  const nothingIsLeft = (server: TestServer) => eventually(() => server.connections()).toBe(0);

  test('without a copy, the call rejects and leaves nothing', async () => {
    const server = await registryServer(answer);
    const error = await open(server).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(says), ...more });
    expect(error).toMatchObject({ message: expect.stringContaining(`registry: `) });
    expect(await readdir(folder)).toEqual([]);
    await nothingIsLeft(server);
  });

  test('with a copy, the call resolves with it and the problem, and the copy stays', async () => {
    let current: RequestListener = sends(good, { etag: '"first"' });
    const server = await registryServer((request, response) => current(request, response));
    const first = await open(server);
    const [name = '', ...others] = await readdir(folder);
    expect(others).toEqual([]);
    const before = await readFile(join(folder, name), 'utf8');
    current = answer;
    const second = await open(server);
    expect(second).toMatchObject({ source: 'cache', fetchedAt: first.fetchedAt, agents: first.agents });
    expect(second.problem).toMatch(says);
    expect(second.problem).not.toMatch(/^registry: /);
    expect(second.ageMs).toBeGreaterThanOrEqual(0);
    expect(await readdir(folder)).toEqual([name]);
    expect(await readFile(join(folder, name), 'utf8')).toBe(before);
    await nothingIsLeft(server);
  });
});

test('a program that does not speak HTTP is refused', async () => {
  const server = await rawServer((socket) => socket.resume().write('220 mail.example.com ready\r\n'));
  const opened = registry({ url: server.url, cacheFolder: folder });
  await expect(opened).rejects.toMatchObject({ code: 'connection.closed' });
  await eventually(() => server.connections()).toBe(0);
});

test('informational answers without an end are refused', async () => {
  const server = await rawServer((socket) => {
    socket.resume();
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
    socket.on('close', () => clearInterval(timer));
  });
  const opened = registry({ url: server.url, cacheFolder: folder, timeoutMs: neverComesMs });
  await expect(opened).rejects.toMatchObject({ code: 'timeout' });
  await eventually(() => server.connections()).toBe(0);
});

test('"not modified" is refused where there is no copy', async () => {
  const server = await registryServer(status(304));
  const opened = registry({ url: server.url, cacheFolder: folder });
  await expect(opened).rejects.toMatchObject({
    code: 'protocol.message',
    message: expect.stringMatching(/has not changed, and there is no copy/),
  });
});

test.each([
  ['without quotes', 'first'],
  ['too long', `"${'x'.repeat(5000)}"`],
  ['with a space', '"a b"'],
])('an ETag %s is not kept, and the content is', async (_how, etag) => {
  const server = await registryServer(sends(good, { etag }));
  for (let call = 0; call < 2; call++) {
    const opened = await registry({ url: server.url, cacheFolder: folder });
    expect(opened).toMatchObject({ source: 'network', agents: [{ id: 'one' }] });
    expect(opened.problem).toBeUndefined();
  }
  expect(server.requests.map((headers) => headers['if-none-match'])).toEqual([undefined, undefined]);
});

test.each([
  ['empty', ''],
  ['not JSON', '{"url":'],
  ['of another kind', '[]'],
  ['without a time', '{"url":"URL","text":"{}"}'],
  ['of a time that is none', '{"url":"URL","text":"{}","fetchedAt":"yesterday"}'],
  [
    'of another address',
    JSON.stringify({ url: 'https://example.com/', text: good, fetchedAt: new Date().toISOString() }),
  ],
  [
    'with content that is not a registry',
    '{"url":"URL","text":"<html>","fetchedAt":"2026-01-01T00:00:00.000Z"}',
  ],
])('a copy that is %s is not used, and the next fetch replaces it', async (_what, damaged) => {
  let current: RequestListener = sends(good, { etag: '"first"' });
  const server = await registryServer((request, response) => current(request, response));
  const open = () => registry({ url: server.url, cacheFolder: folder });
  await open();
  const [name = ''] = await readdir(folder);
  const path = join(folder, name);
  await writeFile(path, damaged.replace('URL', server.url));
  current = status(500);
  await expect(open()).rejects.toMatchObject({ code: 'protocol.message' });
  current = sends(good);
  expect((await open()).problem).toBeUndefined();
  expect(server.requests.at(-1)).not.toHaveProperty('if-none-match');
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ url: server.url, text: good });
});

test('a copy that is a directory is not used, and stays', async () => {
  const server = await registryServer(sends(good));
  const open = () => registry({ url: server.url, cacheFolder: folder });
  await open();
  const [name = ''] = await readdir(folder);
  await rm(join(folder, name));
  await mkdir(join(folder, name));
  const opened = await open();
  expect(opened).toMatchObject({ source: 'network', agents: [{ id: 'one' }] });
  expect(opened.problem).toContain(`No copy can be kept in ${folder}`);
  expect(await readdir(folder)).toEqual([name]);
});

test('a cache folder that is a file makes a problem, and the registry is read', async () => {
  const server = await registryServer(sends(good));
  const file = join(folder, 'file');
  await writeFile(file, 'mine');
  const opened = await registry({ url: server.url, cacheFolder: file });
  expect(opened).toMatchObject({ source: 'network', agents: [{ id: 'one' }] });
  expect(opened.problem).toMatch(/^No copy can be kept in .*file: .+\. Make it a directory/);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

test.each([new Error('The user left.'), new TimeoutError('The user left.', { timeoutMs: 5 })])(
  'an abort rejects with its reason, also if there is a copy: %s',
  async (reason) => {
    let current: RequestListener = sends(good);
    const server = await registryServer((request, response) => current(request, response));
    await registry({ url: server.url, cacheFolder: folder });
    const control = new AbortController();
    current = () => control.abort(reason);
    const opened = registry({ url: server.url, cacheFolder: folder, signal: control.signal });
    await expect(opened).rejects.toThrow('The user left.');
    await eventually(() => server.connections()).toBe(0);
    await expect(registry({ url: server.url, cacheFolder: folder, signal: control.signal })).rejects.toThrow(
      'The user left.',
    );
  },
);
