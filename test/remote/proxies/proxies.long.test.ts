import { describe, expect, test } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { memoryCookies } from '../../../src/core/transport/http/cookies.ts';
import { buildDemoAgent } from '../../support/build.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { http2Fetch } from '../../support/http2-fetch.mjs';
import { outline } from '../../support/open-session.ts';
import { skipsProxy, startProxy, whyNot } from '../../support/proxies.ts';
import { startServeExample } from '../../support/serve-example.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { letTimePass } from '../../support/time.ts';
import {
  connectTo,
  fetchTrusting,
  officialAgent,
  playRound,
  socketTrusting,
  type Target,
  type TransportName,
  transportNames,
} from '../round.ts';

/** Two servers: what does not go to the right one fails. */
async function startServers(version: string) {
  const start = () => startServeExample({ agent: officialAgent(version) });
  const [first, second] = [await start(), await start()];
  return {
    servers: [first.port, second.port] as const,
    isEachUsed: async () => (await first.children()).length > 0 && (await second.children()).length > 0,
    nothingLeft: async () => {
      await eventually(first.children).toEqual([]);
      await eventually(second.children).toEqual([]);
      expect([first.complaints(), second.complaints()]).toEqual(['', '']);
    },
  };
}

/** What holds behind each proxy with its configuration on the page. */
for (const name of ['haproxy', 'nghttpx', 'nginx'] as const)
  describe.skipIf(skipsProxy(name))(`${name} with the configuration of the page`, () => {
    test('over plain HTTP', async () => {
      const { servers, nothingLeft } = await startServers('v1');
      const url = await startProxy(name, { servers });
      for (const transport of transportNames) await playRound({ url, transport });
      await nothingLeft();
    });

    test('a limit that is shorter than the silence ends a connection, and reconnect opens it again; a longer one does not', async () => {
      const server = await startServeExample({
        agent: [process.execPath, await buildDemoAgent(), '--state', temporaryFolder()],
      });
      const through = (limit: string) =>
        startProxy(name, {
          servers: [server.port, server.port],
          edit: (config) => config.replace(/\b2m\b/g, limit),
        });
      // There are 15 seconds between two signs of life. The shorter limit is longer than an agent takes to start.
      const [short, long] = [await through('10s'), await through('20s')];
      const open = async (url: string, transport: TransportName) => {
        const { connection } = await connectTo({ url, transport, reconnect: {} });
        const session = await connection.newSession({ cwd: '/home/user/project' });
        await session.prompt('Hello');
        return { connection, session };
      };
      const goOn = async ({ connection, session }: Awaited<ReturnType<typeof open>>) => {
        await session.prompt('Still there?');
        expect(outline(session.conversation).filter((line) => line.startsWith('user: '))).toEqual([
          'user: Hello',
          'user: Still there?',
        ]);
        await connection.close();
      };
      const endsIn = async (transport: TransportName) => {
        const opened = await open(short, transport);
        const state = await new Promise<string>((resolve) => {
          opened.connection.onStateChange((next) => resolve(next));
        });
        expect(state).toBe('reconnecting');
        await opened.connection.ready;
        await goOn(opened);
      };
      const lastsIn = async (transport: TransportName) => {
        const opened = await open(long, transport);
        const states: string[] = [];
        opened.connection.onStateChange((next) => states.push(next));
        await letTimePass(25_000);
        expect(states).toEqual([]);
        await goOn(opened);
      };
      await Promise.all(transportNames.flatMap((transport) => [endsIn(transport), lastsIn(transport)]));
      await eventually(server.children).toEqual([]);
    });

    test('connections are spread over the servers, and one with the same cookies comes to the same server', async () => {
      const { servers, isEachUsed, nothingLeft } = await startServers('v1');
      const url = await startProxy(name, { servers });
      const opened: Awaited<ReturnType<typeof connectTo>>[] = [];
      for (let n = 0; n < 20 && !(await isEachUsed()); n++) {
        opened.push(await connectTo({ url, transport: 'streamable HTTP' }));
      }
      expect(await isEachUsed()).toBe(true);
      await Promise.all(opened.map(({ connection }) => connection.close()));
      await nothingLeft();
      const cookies = memoryCookies();
      const again: Awaited<ReturnType<typeof connectTo>>[] = [];
      for (const transport of [...transportNames, ...transportNames, ...transportNames]) {
        again.push(await connectTo({ url, transport, options: { cookies } }));
      }
      expect(await isEachUsed()).toBe(false);
      await Promise.all(again.map(({ connection }) => connection.close()));
      await nothingLeft();
    });

    test('with TLS, over HTTP/1.1, HTTP/2 and WebSocket', async () => {
      const tls = makeCertificate();
      const { servers, nothingLeft } = await startServers('v2');
      const url = await startProxy(name, { servers, tls });
      const { http1, http2 } = fetchTrusting(tls.ca);
      const targets: Target[] = [
        { url, transport: 'streamable HTTP', options: { fetch: http1 } },
        { url, transport: 'streamable HTTP', options: { fetch: http2 } },
        { url, transport: 'WebSocket', options: { WebSocket: socketTrusting(tls.ca) } },
      ];
      for (const target of targets) await playRound(target);
      await nothingLeft();
    });
  });

describe.skipIf(whyNot('nginx'))('nginx without proxy_buffering and proxy_http_version', () => {
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

test.skipIf(whyNot('nginx'))(
  'nginx holds the headers of a stream back over TLS and HTTP/2, and a connection outlasts it',
  async () => {
    const tls = makeCertificate();
    const server = await startServeExample({ agent: officialAgent('v1') });
    const url = await startProxy('nginx', { servers: [server.port, server.port], tls });
    const send = http2Fetch(new URL(url).origin, { ca: tls.ca });
    const answered = deferred();
    const fetch: typeof send = async (input, init) => {
      const response = await send(input, init);
      if (init?.method === 'GET') answered.resolve();
      return response;
    };
    const { connection, diagnostics } = await connectTo({
      url,
      transport: 'streamable HTTP',
      options: { fetch },
    });
    // The server's first comment, after 15 seconds.
    await answered.promise;
    const session = await connection.newSession({ cwd: '/home/user/project' });
    expect((await session.prompt('permission')).stopReason).toBe('end_turn');
    expect(diagnostics).toEqual([]);
    await connection.close();
  },
);
