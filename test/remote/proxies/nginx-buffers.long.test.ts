import { describe, expect, test } from 'vitest';
import { makeCertificate } from '../../support/certificate.ts';
import { http2Fetch } from '../../support/http2-fetch.mjs';
import { skipsProxy, startProxy } from '../../support/proxies.ts';
import { startServeExample } from '../../support/serve-example.ts';
import { connectTo, officialAgent } from '../round.ts';

const isSkipped = skipsProxy('nginx');

describe.skipIf(isSkipped)('nginx without proxy_buffering and proxy_http_version', () => {
  const edit = (config: string) => config.replace(/proxy_(?:buffering|http_version) .*;/g, '');
  const connectThrough = async (change: (config: string) => string) => {
    const server = await startServeExample({ agent: officialAgent('v1') });
    const url = await startProxy('nginx', { servers: [server.port, server.port], edit: change });
    return connectTo({ url, transport: 'streamable HTTP' });
  };

  test('passes events on at once, because the example asks for it', async () => {
    const { connection } = await connectThrough(edit);
    const session = await connection.newSession({ cwd: '/home/user/project' });
    expect((await session.prompt('permission')).stopReason).toBe('end_turn');
    await connection.close();
  });

  test('holds events back for a server that does not', async () => {
    const deaf = 'userid on; proxy_ignore_headers X-Accel-Buffering;';
    const { connection } = await connectThrough((config) => edit(config).replace('userid on;', deaf));
    const opening = connection.newSession({ cwd: '/home/user/project' }).then(
      () => 'opened',
      () => 'failed',
    );
    // An answer that is not held back comes within milliseconds.
    const hung = new Promise((resolve) => setTimeout(resolve, 3000, 'held back'));
    expect(await Promise.race([opening, hung])).toBe('held back');
    await connection.close();
    expect(await opening).toBe('failed');
  });
});

test.skipIf(isSkipped)(
  'nginx holds the headers of a stream back over TLS and HTTP/2, and a connection outlasts it',
  async () => {
    const tls = makeCertificate();
    const server = await startServeExample({ agent: officialAgent('v1') });
    const url = await startProxy('nginx', { servers: [server.port, server.port], tls });
    const send = http2Fetch(new URL(url).origin, { ca: tls.ca });
    let markAnswered: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      markAnswered = resolve;
    });
    const fetch: typeof send = async (input, init) => {
      const response = await send(input, init);
      if (init?.method === 'GET') markAnswered();
      return response;
    };
    const { connection, diagnostics } = await connectTo({
      url,
      transport: 'streamable HTTP',
      options: { fetch },
    });
    // The server's first comment, after 15 seconds.
    await answered;
    const session = await connection.newSession({ cwd: '/home/user/project' });
    expect((await session.prompt('permission')).stopReason).toBe('end_turn');
    expect(diagnostics).toEqual([]);
    await connection.close();
  },
);
