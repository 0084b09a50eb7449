import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { globalAgent } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { registry } from '../../../src/agents/registry/open.ts';
import { buildPackage } from '../../support/build.ts';
import { makeCertificate } from '../../support/certificate.ts';
import {
  entry,
  registryServer,
  registryText,
  secureRegistryServer,
  sends,
} from '../../support/registry-server.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';
import { neverComesMs } from '../../support/time.ts';
import { programPath } from './processes.ts';

const run = promisify(execFile);
const good = registryText(entry('one'));

let library = '';
const folder = sharedFolder();
let certificate = { key: '', cert: '', path: '' };
beforeAll(async () => {
  library = join(await buildPackage(), 'node.js');
});
beforeEach(() => {
  const { key, cert, ca } = makeCertificate();
  certificate = { key: readFileSync(key, 'utf8'), cert: ca, path: cert };
});

/** Opens a registry in another process, which must end by itself. */
async function open(options: object, { trusted = true, times = 1 } = {}) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { stdout } = await run(
    process.execPath,
    [programPath('open-registry.mjs'), library, JSON.stringify(options), `${times}`],
    { env: { ...env, ...(trusted && { NODE_EXTRA_CA_CERTS: certificate.path }) } },
  );
  return JSON.parse(stdout);
}

// test/process/node/registry.test.ts has the redirects.
describe('over https, a registry', () => {
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
});

test('a process ends when a server that does not answer was given up', async () => {
  const server = await registryServer(() => {});
  const options = { url: server.url, cacheFolder: join(folder, 'silent'), timeoutMs: neverComesMs };
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
