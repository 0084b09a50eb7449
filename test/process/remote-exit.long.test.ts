import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildPackage } from '../support/build.ts';
import { event, rawServer } from '../support/raw-acp-server.ts';

/** What a program does when it has a session, before it ends. */
const ends = {
  'closes the connection': 'await connection.close();',
  'closes the connection in a turn':
    "const turn = session.prompt('Hello').catch(() => {}); await connection.close(); await turn;",
  'loses the server': 'await connection.closed;',
  'has failed to connect':
    'await connection.close(); await connect(make("http://127.0.0.1:1/acp")).catch(() => {});',
} as const;

const transports = {
  'streamable HTTP': 'remoteTransport(url, { WebSocket: false, idleTimeoutMs: 600_000 })',
  'a WebSocket or streamable HTTP': 'remoteTransport(url, { idleTimeoutMs: 600_000 })',
} as const;

const program = (index: string, transport: string, end: string) => `
import * as library from ${JSON.stringify(index)};
const { connect: open, remoteTransport } = library;
const options = { clientInfo: { name: 'test', version: '0' }, protocolVersions: [1], onDiagnostic() {} };
const connect = (transport) => open(transport, options);
const make = (url) => ${transport};
const connection = await connect(make(process.argv[1]));
const session = await connection.newSession({ cwd: '/project' });
console.log('ready');
${end}
console.log('done');
`;

test.each(
  Object.entries(transports).flatMap(([name, transport]) =>
    Object.entries(ends).map(([end, code]) => [name, end, transport, code] as const),
  ),
)('a program with %s that %s ends by itself', async (_name, end, transport, code) => {
  const server = await rawServer({
    answer: ({ kind, message }, response) => {
      if (end === 'closes the connection in a turn' && kind === 'POST session/prompt') {
        response.writeHead(202).end();
        return true;
      }
      if (end !== 'loses the server' || kind !== 'POST _acp-client-sdk/sync') return false;
      response.writeHead(202).end();
      const refusal = {
        jsonrpc: '2.0',
        id: message['id'],
        error: { code: -32601, message: 'Method not found' },
      };
      server.stream('s1')?.write(event(refusal));
      // When the session is open.
      setTimeout(() => server.stream()?.destroy(), 200);
      return true;
    },
  });
  const index = pathToFileURL(join(await buildPackage(), 'index.js')).href;
  const args = ['--input-type=module', '-e', program(index, transport, code), server.url];
  // A limit for a hang only. A timer or a socket that is left lasts longer.
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  expect(stdout).toBe('ready\ndone\n');
});
