import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { connect } from '../../src/client/connect.ts';
import { remoteTransport } from '../../src/client/remote.ts';
import { recordTraffic } from '../../src/recording/record-traffic.ts';
import { eventually } from '../support/eventually.ts';
import { outline } from '../support/open-session.ts';
import { authorized, startServeExample } from '../support/serve-example.ts';

test('the example has at most 98 lines of code', () => {
  const lines = readFileSync(new URL('../../docs/examples/serve/serve.mjs', import.meta.url), 'utf8').split(
    '\n',
  );
  const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line));
  expect(code.length).toBeLessThanOrEqual(98);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

test('a server that is wrong over a WebSocket is reached over streamable HTTP, with one agent and one answer', async () => {
  const program = fileURLToPath(new URL('programs/known-server.mjs', import.meta.url));
  const server = await startServeExample({ agent: [process.execPath, program, 'qwen'] });
  const diagnostics: Diagnostic[] = [];
  const recording = recordTraffic();
  const connection = await connect(() => remoteTransport(server.url, { headers: authorized }), {
    clientInfo: { name: 'my-editor', version: '1.0.0' },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    trace: recording,
  });
  onTestFinished(() => connection.close());
  const chosen = diagnostics.flatMap(({ rule, message }) => (rule === 'transport.chosen' ? [message] : []));
  expect(chosen).toEqual([
    expect.stringContaining('is reached over a WebSocket.'),
    expect.stringMatching(
      /is reached over streamable HTTP instead: over a WebSocket, it sends the history .*\.$/,
    ),
  ]);
  const session = await connection.newSession({ cwd: '/home/user/project' });
  expect((await session.prompt('How often?')).stopReason).toBe('end_turn');
  // The agent behind the WebSocket was another process.
  expect(outline(session.conversation).at(-1)).toBe('agent: Initialized 1 times.');
  await eventually(server.children).toHaveLength(1);
  const [asked, answered, ...others] = recording.records;
  expect([asked, answered]).toMatchObject([
    { dir: 'out', msg: { id: 0, method: 'initialize' } },
    { dir: 'in', msg: { id: 0, result: { protocolVersion: 1 } } },
  ]);
  expect(others.filter(({ msg }) => JSON.stringify(msg).includes('"initialize"'))).toEqual([]);
  // The channel that was exchanged ends as that over HTTP does.
  server.process.kill('SIGKILL');
  expect((await connection.closed).error).toMatchObject({ code: 'connection.closed' });
});
