import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { globalAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { registry } from '../../../src/node/registry/open.ts';
import { buildPackage } from '../../support/build.ts';
import {
  entry,
  registryServer,
  registryText,
  secureRegistryServer,
  sends,
} from '../../support/registry-server.ts';
import { programPath } from './processes.ts';

const run = promisify(execFile);
const good = registryText(entry('one'));

let library = '';
let folder = '';
let certificate = { key: '', cert: '' };
beforeAll(async () => {
  library = join(await buildPackage(), 'node.js');
  folder = await mkdtemp(join(tmpdir(), 'acp-registry-'));
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  await run(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      names,
      ...files,
    ],
    { cwd: folder },
  );
  const [key, cert] = await Promise.all(
    ['key.pem', 'cert.pem'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  certificate = { key: key ?? '', cert: cert ?? '' };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Opens a registry in another process, which must end by itself. */
async function open(options: object, { trusted = true, times = 1 } = {}) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { stdout } = await run(
    process.execPath,
    [programPath('open-registry.mjs'), library, JSON.stringify(options), `${times}`],
    { env: { ...env, ...(trusted && { NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') }) } },
  );
  return JSON.parse(stdout);
}

describe('over https, a registry', () => {
  test('is fetched, and asked for with its ETag', async () => {
    const server = await secureRegistryServer(certificate, sends(good, { etag: '"a"' }));
    const cacheFolder = join(folder, 'https');
    expect(await open({ url: server.url, cacheFolder }, { times: 2 })).toMatchObject({
      source: 'network',
      agents: [{ id: 'one' }],
    });
    expect(server.requests.map((headers) => headers['if-none-match'])).toEqual([undefined, '"a"']);
  });

  test('is fetched with the certificates of the global agent', async () => {
    const server = await secureRegistryServer(certificate, sends(good));
    const options = { url: server.url, cacheFolder: join(folder, 'agent') };
    await expect(registry(options)).rejects.toThrow('self-signed certificate');
    const { ca } = globalAgent.options;
    onTestFinished(() => {
      globalAgent.options.ca = ca;
    });
    globalAgent.options.ca = certificate.cert;
    expect(await registry(options)).toMatchObject({ source: 'network' });
  });

  test('is found by the name of its host', async () => {
    const server = await secureRegistryServer(certificate, sends(good));
    const url = server.url.replace('127.0.0.1', 'localhost');
    expect(await open({ url, cacheFolder: join(folder, 'name') })).toMatchObject({ source: 'network' });
  });

  test('is refused with a certificate that is not trusted, and the copy stays', async () => {
    const server = await secureRegistryServer(certificate, sends(good));
    const options = { url: server.url, cacheFolder: join(folder, 'untrusted') };
    expect(await open(options, { trusted: false })).toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('self-signed certificate'),
    });
    expect(server.requests).toEqual([]);
    await open(options);
    const copy = await open(options, { trusted: false });
    expect(copy).toMatchObject({ source: 'cache', agents: [{ id: 'one' }] });
    expect(copy.problem).toContain('self-signed certificate');
  });

  test('is found behind a redirect to https', async () => {
    const target = await secureRegistryServer(certificate, sends(good));
    const server = await registryServer((_request, response) => {
      response.writeHead(302, { location: target.url }).end();
    });
    const secure = await secureRegistryServer(certificate, (_request, response) => {
      response.writeHead(301, { location: target.url }).end();
    });
    for (const { url } of [server, secure]) {
      expect(await open({ url, cacheFolder: join(folder, 'redirect') })).toMatchObject({ source: 'network' });
    }
  });

  test('is found behind five redirects', async () => {
    const server = await secureRegistryServer(certificate, (request, response) => {
      const count = Number(new URL(request.url ?? '', 'https://localhost').searchParams.get('n'));
      if (count === 5) return sends(good)(request, response);
      response.writeHead(302, { location: `/registry.json?n=${count + 1}` }).end();
    });
    expect(await open({ url: server.url, cacheFolder: join(folder, 'five') })).toMatchObject({
      source: 'network',
    });
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      'redirects without an end',
      (request, response) => {
        const count = Number(new URL(request.url ?? '', 'https://localhost').searchParams.get('n'));
        response.writeHead(302, { location: `/registry.json?n=${count + 1}` }).end();
      },
      /redirects more than 5 times/,
    ],
    [
      'a redirect to http on this machine',
      (_request, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/registry.json' }).end();
      },
      /redirects to http:\/\/127\.0\.0\.1:1, and only https is followed/,
    ],
  ])('is refused with %s', async (_title, answer, says) => {
    const server = await secureRegistryServer(certificate, answer);
    const refused = await open({ url: server.url, cacheFolder: join(folder, 'refused') });
    expect(refused).toMatchObject({ code: 'protocol.message', message: expect.stringMatching(says) });
    expect(server.requests.length).toBeLessThan(10);
  });
});

test('a process ends when a server that does not answer was given up', async () => {
  const server = await registryServer(() => {});
  const options = { url: server.url, cacheFolder: join(folder, 'silent'), timeoutMs: 200 };
  expect(await open(options)).toMatchObject({ code: 'timeout' });
});

test('processes that fetch the same registry at once leave one whole copy', async () => {
  let version = 0;
  // Each answer is different, and long enough to be written in parts.
  const server = await registryServer((request, response) => {
    const description = `${version++}`.repeat(100_000);
    sends(registryText(entry('one', { description })))(request, response);
  });
  const options = { url: server.url, cacheFolder: join(folder, 'shared') };
  const opened = await Promise.all(Array.from({ length: 4 }, () => open(options, { times: 5 })));
  for (const result of opened) {
    expect(result).toMatchObject({ source: 'network', agents: [{ id: 'one' }] });
    expect(result).not.toHaveProperty('problem');
  }
  expect(await readdir(options.cacheFolder)).toHaveLength(1);
  await server.close();
  expect(await open(options)).toMatchObject({ source: 'cache', agents: [{ id: 'one' }] });
});
