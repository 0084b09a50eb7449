import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { registry } from '../../../src/agents/registry/open.ts';
import { TimeoutError } from '../../../src/core/base/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { entry, registryServer, registryText, sends, status } from '../../support/registry-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const good = registryText(entry('one'));

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
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

test('an ETag that always is current keeps the content of the copy', async () => {
  let current: RequestListener = sends(good, { etag: '"first"' });
  const server = await registryServer((request, response) => current(request, response));
  await registry({ url: server.url, cacheFolder: folder });
  current = status(304, { etag: '"another"' });
  const second = await registry({ url: server.url, cacheFolder: folder });
  expect(second).toMatchObject({ source: 'network', agents: [{ id: 'one' }] });
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

test.skipIf(process.platform !== 'linux')('a cache folder that is read-only makes a problem', async () => {
  const server = await registryServer(sends(good));
  // No user can write to it, not even root.
  const opened = await registry({ url: server.url, cacheFolder: '/proc/self' });
  expect(opened).toMatchObject({ source: 'network', agents: [{ id: 'one' }] });
  expect(opened.problem).toMatch(/^No copy can be kept in \/proc\/self: /);
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
