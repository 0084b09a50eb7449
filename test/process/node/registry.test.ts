import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { registry } from '../../../src/agents/registry/open.ts';
import { makeCertificate, whyNoCertificate } from '../../support/certificate.ts';
import {
  entry,
  registryServer,
  registryText,
  secureRegistryServer,
  sends,
  status,
} from '../../support/registry-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const good = registryText(entry('one'), entry('two'));
const hourMs = 3_600_000;

/** Some containers have no IPv6. */
const localAddresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
const hosts = ['127.0.0.1', '::1', 'localhost'].filter(
  (host) => host !== '::1' || localAddresses.some(({ address }) => address === host),
);

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

/** Changes the time in the only copy. */
async function setAge(ageMs: number): Promise<void> {
  const [name = ''] = await readdir(folder);
  const path = join(folder, name);
  const copy = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...copy, fetchedAt: new Date(Date.now() - ageMs).toISOString() }));
}

describe('a registry on a server', () => {
  test.each(hosts)('[security: registry-fetch] is fetched from %s', async (host) => {
    const server = await registryServer(sends(good), host);
    const opened = await registry({ url: server.url, cacheFolder: folder });
    expect(opened).toMatchObject({ source: 'network', problems: [], agents: [{ id: 'one' }, { id: 'two' }] });
    expect(opened).not.toHaveProperty('problem');
    expect(Date.parse(opened.fetchedAt)).toBeGreaterThan(Date.now() - hourMs);
    expect(opened.ageMs).toBeLessThan(hourMs);
    expect(structuredClone(opened)).toEqual(opened);
    // In one connection, which is not kept.
    expect(server.requests).toMatchObject([
      { accept: 'application/json', 'accept-encoding': 'gzip', connection: 'close' },
    ]);
    expect(server.requests[0]).not.toHaveProperty('if-none-match');
  });

  test('is fetched as compressed content, from an address as a URL, and without its fragment', async () => {
    const server = await registryServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(good));
    });
    const url = new URL(`${server.url}#part`);
    expect(await registry({ url, cacheFolder: folder })).toMatchObject({ agents: [{}, {}] });
    expect(url.hash).toBe('#part');
    await registry({ url: server.url, cacheFolder: folder });
    expect(await readdir(folder)).toHaveLength(1);
  });

  test('is not sent again if the server knows the ETag of the copy, which then is current', async () => {
    const server = await registryServer((request, response) => {
      if (request.headers['if-none-match'] === '"a"') response.writeHead(304).end();
      else sends(good, { etag: '"a"' })(request, response);
    });
    await registry({ url: server.url, cacheFolder: folder });
    await setAge(5 * hourMs);
    const second = await registry({ url: server.url, cacheFolder: folder });
    expect(second).toMatchObject({ source: 'network', agents: [{ id: 'one' }, { id: 'two' }] });
    expect(second.ageMs).toBeLessThan(hourMs);
    await server.close();
    const third = await registry({ url: server.url, cacheFolder: folder });
    expect(third).toMatchObject({ source: 'cache', fetchedAt: second.fetchedAt });
    expect(server.requests.map((headers) => headers['if-none-match'])).toEqual([undefined, '"a"']);
  });

  test.each([
    ['"ab"', '"ab"'],
    ['W/"a"', 'W/"a"'],
    ['x"a"', undefined],
    ['"a"x', undefined],
  ])('with the ETag %s is asked for with %s', async (etag, sent) => {
    const server = await registryServer(sends(good, { etag }));
    for (const _ of [1, 2]) await registry({ url: server.url, cacheFolder: folder });
    expect(server.requests[1]?.['if-none-match']).toBe(sent);
  });

  test('says how old the copy is when the server is gone, which is never negative', async () => {
    const server = await registryServer(sends(good));
    const open = (url = server.url) => registry({ url, cacheFolder: folder });
    await open();
    await server.close();
    await setAge(30 * hourMs);
    const opened = await open();
    expect(opened.source).toBe('cache');
    expect(opened.ageMs / hourMs).toBeCloseTo(30, 1);
    expect(Date.now() - Date.parse(opened.fetchedAt)).toBeCloseTo(opened.ageMs, -4);
    await setAge(-2 * hourMs);
    expect((await open()).ageMs).toBe(0);
    // Each address has its own copy.
    await expect(open(`${server.url}?other`)).rejects.toMatchObject({ code: 'connection.closed' });
  });

  test('is not asked for while the copy is younger than maxAgeMs', async () => {
    const server = await registryServer(sends(good));
    const open = (maxAgeMs: number) => registry({ url: server.url, cacheFolder: folder, maxAgeMs });
    // The clock stands.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect((await open(hourMs)).source).toBe('network');
    const young = await open(hourMs);
    expect(young.source).toBe('cache');
    expect(young).not.toHaveProperty('problem');
    expect(server.requests).toHaveLength(1);
    expect((await open(0)).source).toBe('network');
    await setAge(hourMs);
    expect((await open(hourMs)).source).toBe('network');
    // The clock was set back.
    await setAge(-2 * hourMs);
    expect((await open(hourMs)).source).toBe('network');
    expect(server.requests).toHaveLength(4);
  });

  test('has its copy in a directory that is created, for this user only, and that can be a link', async () => {
    const server = await registryServer(sends(good));
    const cacheFolder = join(folder, 'a', 'b');
    await registry({ url: server.url, cacheFolder });
    expect(await readdir(cacheFolder)).toHaveLength(1);
    if (process.platform === 'win32') return;
    expect((await stat(cacheFolder)).mode & 0o777).toBe(0o700);
    const link = join(folder, 'link');
    await symlink(cacheFolder, link);
    expect(await registry({ url: `${server.url}?other`, cacheFolder: link })).not.toHaveProperty('problem');
    expect(await readdir(cacheFolder)).toHaveLength(2);
  });

  test('[reliability: limit-registry] has at most maxBytes', async () => {
    const server = await registryServer(sends(good));
    const open = (maxBytes: number) => registry({ url: server.url, cacheFolder: folder, maxBytes });
    await expect(open(good.length - 1)).rejects.toMatchObject({
      code: 'protocol.message_too_large',
      limitBytes: good.length - 1,
    });
    expect(await open(good.length)).toMatchObject({ source: 'network' });
    const length = String(good.length);
    const announced = await registryServer(sends(good, { 'content-length': length }));
    const url = announced.url;
    await expect(registry({ url, cacheFolder: folder, maxBytes: good.length })).resolves.toMatchObject({
      source: 'network',
    });
    const large = await registryServer(sends(good.padEnd(5 * 1024 * 1024 + 1)));
    await expect(registry({ url: large.url, cacheFolder: folder })).rejects.toMatchObject({
      limitBytes: 5_242_880,
    });
  });

  test('of maxBytes that all are escaped is read from its copy', async () => {
    const server = await registryServer(sends(good + '\n'.repeat(50_000), { etag: `"${'a'.repeat(256)}"` }));
    const open = () => registry({ url: server.url, cacheFolder: folder, maxBytes: good.length + 50_000 });
    await open();
    await server.close();
    expect(await open()).toMatchObject({ source: 'cache', agents: [{ id: 'one' }, { id: 'two' }] });
  });

  test.skipIf(whyNoCertificate)('is found behind five redirects to https, and not behind six', async () => {
    const { key, ca } = makeCertificate();
    const before = https.globalAgent;
    https.globalAgent = new https.Agent({ ca });
    onTestFinished(() => {
      https.globalAgent = before;
    });
    const secure = await secureRegistryServer(
      { key: await readFile(key, 'utf8'), cert: ca },
      (...exchange) => {
        const left = Number(exchange[0].url?.split('?')[1]);
        const answer = left === 0 ? sends(good) : status(302, { location: `?${left - 1}` });
        answer(...exchange);
      },
    );
    const open = async (redirects: number) => {
      const location = `${secure.url}?${redirects - 1}`;
      const { url } = await registryServer(status(302, { location }));
      return registry({ url, cacheFolder: folder });
    };
    expect(await open(5)).toMatchObject({ source: 'network', agents: [{ id: 'one' }, { id: 'two' }] });
    expect(secure.requests).toHaveLength(5);
    await expect(open(6)).rejects.toThrow(/redirects more than 5 times/);
    expect(secure.requests).toHaveLength(10);
  });

  test('that no address of its host serves is said with the code of the error', async () => {
    const server = await registryServer(sends(good));
    await server.close();
    const before = http.globalAgent;
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    http.globalAgent = new http.Agent({ lookup: (_host, _options, done) => done(null, addresses) });
    onTestFinished(() => {
      http.globalAgent = before;
    });
    const url = `http://localhost:${server.port}/registry.json`;
    await expect(registry({ url, cacheFolder: folder })).rejects.toThrow(/cannot be fetched: ECONNREFUSED\./);
  });

  test.skipIf(process.platform !== 'linux')('leaves no file open', async () => {
    const server = await registryServer(sends(good));
    await registry({ url: server.url, cacheFolder: folder });
    await registry({ url: server.url, cacheFolder: folder });
    const descriptors = (await readdir('/proc/self/fd')).map((descriptor) => `/proc/self/fd/${descriptor}`);
    const open = await Promise.all(descriptors.map((each) => readlink(each).catch(() => '')));
    expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
  });

  test('is not asked for with credentials or a token in a message', async () => {
    const server = await registryServer((_request, response) => response.writeHead(500).end());
    const opened = registry({ url: `${server.url}?token=secret-token`, cacheFolder: folder });
    await expect(opened).rejects.toThrow(/registry\.json answered with the status 500/);
  });
});

describe('a registry in a file', () => {
  test('has the age of the file', async () => {
    const file = join(folder, 'registry.json');
    await writeFile(file, registryText(entry('one'), {}));
    const changed = new Date(Date.now() - 3 * hourMs);
    await utimes(file, changed, changed);
    const opened = await registry({ file });
    expect(opened).toMatchObject({
      source: 'file',
      agents: [{ id: 'one' }],
      problems: [{ entry: 'agents[1]', message: 'id is missing' }],
      fetchedAt: changed.toISOString(),
    });
    expect(opened.ageMs / hourMs).toBeCloseTo(3, 1);
    const maxBytes = (await stat(file)).size;
    expect(await registry({ file, cacheFolder: folder, maxBytes })).toMatchObject({ source: 'file' });
    expect(await readdir(folder)).toEqual(['registry.json']);
  });

  test.each([
    ['<html>', /is not a registry: it is a web page/],
    ['{}', /is not a registry: it is an object without a list of agents/],
    [' '.repeat(2000), /cannot be read: it has more than 1000 bytes/],
  ])('is refused if it is not one: %j', async (text, says) => {
    const file = join(folder, 'registry.json');
    await writeFile(file, text);
    const opened = registry({ file, maxBytes: 1000 });
    await expect(opened).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringMatching(says),
      cause: expect.any(Error),
    });
    await expect(opened).rejects.toThrow(file);
  });

  test('is refused if it is missing, a directory, or a pipe, for which it does not wait', async () => {
    await expect(registry({ file: join(folder, 'none.json') })).rejects.toThrow(
      /none\.json cannot be read: ENOENT/,
    );
    await expect(registry({ file: folder })).rejects.toMatchObject({ code: 'usage.params' });
    if (process.platform === 'win32') return;
    const pipe = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    await expect(registry({ file: pipe })).rejects.toThrow(/it is not an ordinary file/);
  });
});

describe('[security: registry-fetch] wrong options are refused:', () => {
  const cacheFolder = tmpdir();
  test.each<[unknown, RegExp]>([
    [undefined, /must be an object/],
    [{}, /url is missing; cacheFolder is missing/],
    [{ url: 'https://example.com' }, /cacheFolder is missing/],
    [{ url: 'https://example.com', cacheFolder: 'cache' }, /cacheFolder must be an absolute path/],
    [{ url: 'registry.json', cacheFolder }, /url must be an address that begins with https/],
    [{ url: 5, cacheFolder }, /url must be an address, such as https:.+; got a number/],
    [
      { url: 'http://example.com/r.json', cacheFolder },
      /begins with https.+; got http:\/\/example\.com\/r\.json/,
    ],
    [{ url: 'http://127.0.0.1.example.com/', cacheFolder }, /begins with https/],
    [{ url: 'http://localhost.example.com/', cacheFolder }, /begins with https/],
    [{ url: 'http://registry.localhost/', cacheFolder }, /begins with https/],
    [{ url: 'http://10.0.0.1/', cacheFolder }, /begins with https/],
    [{ url: 'file:///registry.json', cacheFolder }, /begins with https/],
    [{ url: 'ftp://127.0.0.1/', cacheFolder }, /begins with https/],
    [null, /must be an object/],
    [{ url: 'https://me@example.com/', cacheFolder }, /contains a user name or a password/],
    [{ url: 'https://:hidden@example.com/', cacheFolder }, /contains a user name or a password/],
    [
      { url: 'https://example.com', file: '/r.json', cacheFolder },
      /cannot be combined: pass either url or file/,
    ],
    [{ file: 'registry.json' }, /file must be an absolute path/],
    [{ url: 'https://example.com', cacheFolder, timeoutMs: 0 }, /timeoutMs must be/],
    [{ url: 'https://example.com', cacheFolder, maxBytes: 0 }, /maxBytes must be/],
    [{ url: 'https://example.com', cacheFolder, maxAgeMs: -1 }, /maxAgeMs must be/],
    [{ url: 'https://example.com', cacheFolder, maxAge: 1 }, /maxAge is not an option/],
  ])('%j', async (options, says) => {
    // Wrong types are what is tested.
    const opened = registry(options as never);
    await expect(opened).rejects.toMatchObject({ code: 'usage.params' });
    await expect(opened).rejects.toThrow(says);
    await expect(opened).rejects.not.toThrow('hidden');
  });
});
