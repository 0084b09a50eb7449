import { readdir, readFile, readlink } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnostic } from '../../../../src/core/base/diagnostic.ts';
import { RequestError } from '../../../../src/core/rpc/request-error.ts';
import { toolServer } from '../../../../src/entries/tools.ts';
import { connectTo, everything } from '../../../support/agents.ts';
import { eventually } from '../../../support/eventually.ts';
import { cwd } from '../../../support/open-session.ts';
import { describedTo, tokenOf, toolClient } from '../../../support/tool-client.ts';
import { echoCall, sendAsAgent } from '../../../support/tool-target.ts';

const tools = { echo: { description: 'x', run: () => 'ran' } };

/** Two sessions with a server each, with everything on that writes something down. */
async function written(way: 'http' | 'stdio') {
  const told: unknown[] = [];
  const { agent, connection } = await connectTo(everything.v1, {
    onDiagnostic: (diagnostic: Diagnostic) => told.push(diagnostic),
    trace: { write: (record) => told.push(record) },
    script: (scripted) =>
      scripted.on('session/new', { sessionId: 's1' }).on('session/prompt', () => {
        // The agent repeats what it was given.
        const given = describedTo(agent);
        throw new RequestError(-32_603, `failed with ${tokenOf(given)}`, { given });
      }),
  });
  const editor = toolServer({ name: 'editor', tools, transports: [way] });
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  const server = describedTo(agent);
  return { told, agent, connection, editor, session, server, token: tokenOf(server) };
}

describe.each(['http', 'stdio'] as const)('[security: tools-secrets] the token of the way %s', (way) => {
  test('is not in traces, diagnostics and errors, also where the agent repeats it', async () => {
    const { told, agent, session, server, token } = await written(way);
    await sendAsAgent({ agent, server, token }, echoCall());
    const error = await session.prompt('hello').then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    told.push(String(error), inspect(error, { depth: 9 }), JSON.stringify(error));
    expect(token.length).toBeGreaterThan(40);
    expect(told.length).toBeGreaterThan(5);
    expect(JSON.stringify(told)).not.toContain(token);
  });

  test('is not in what the console prints of the connection, the session and the server', async () => {
    const { connection, editor, session, token } = await written(way);
    for (const value of [connection, session, editor]) {
      expect(inspect(value, { depth: 20, showHidden: true })).not.toContain(token);
      expect(JSON.stringify(value) ?? '').not.toContain(token);
    }
  });
});

test.skipIf(process.platform !== 'linux')(
  '[security: tools-secrets] the token is in the command line of no process, and in no file',
  async () => {
    const { agent, server, token } = await written('stdio');
    const client = await toolClient(agent, server);
    onTestFinished(() => client.close());
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(
      processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    const program = (server['args'] as string[]).at(-1) ?? '';
    // The program runs, so that its command line is among them.
    expect(lines.some((line) => line.includes(program))).toBe(true);
    expect(lines.join()).not.toContain(token);
    expect(await readFile(program, 'utf8')).not.toContain(token);
  },
);

/** The sockets of this process that listen: ports of TCP, and paths. */
async function listening(): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const own = new Set<string>();
  for (const descriptor of descriptors) {
    const [, inode] =
      /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/self/fd/${descriptor}`).catch(() => '')) ?? [];
    if (inode) own.add(inode);
  }
  const rows = async (path: string) =>
    (await readFile(path, 'utf8').catch(() => '')).split('\n').map((row) => row.trim().split(/\s+/));
  const tcp = [...(await rows('/proc/net/tcp')), ...(await rows('/proc/net/tcp6'))]
    // The state 0A is that of a socket that listens.
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode ?? ''))
    .map(([, local = '']) => local);
  const unix = (await rows('/proc/net/unix'))
    .filter((row) => row[7]?.includes('acp-tools-') && own.has(row[6] ?? ''))
    .map((row) => row[7] ?? '');
  return [...tcp, ...unix];
}

// The files are those of Linux.
describe.skipIf(process.platform !== 'linux')('[security: tools-ports] what listens', () => {
  test.each(['http', 'stdio'] as const)(
    'over %s begins with a session and ends with it, also with two servers and two sessions',
    async (way) => {
      const before = await listening();
      const one = toolServer({ name: 'one', tools, transports: [way] });
      const two = toolServer({ name: 'two', tools, transports: [way] });
      let sessions = 0;
      const { connection } = await connectTo(everything.v1, {
        script: (scripted) =>
          scripted.on('session/new', () => ({ sessionId: `s${++sessions}` })).on('session/close', {}),
      });
      const added = async () => (await listening()).filter((socket) => !before.includes(socket));
      expect(await added()).toEqual([]);
      const first = await connection.newSession({ cwd, mcpServers: [one, two] });
      await connection.newSession({ cwd, mcpServers: [one] });
      const sockets = await added();
      expect(sockets).toHaveLength(3);
      // 127.0.0.1, as the file of Linux has it.
      if (way === 'http') expect(sockets.filter((socket) => !socket.startsWith('0100007F:'))).toEqual([]);
      await first.close();
      await eventually(async () => (await added()).length).toBe(1);
      await connection.close();
      await eventually(added).toEqual([]);
    },
  );

  test('ends where the agent does not open the session, and where it ends', async () => {
    const before = await listening();
    const editor = toolServer({ name: 'editor', tools, transports: ['http'] });
    const failing = await connectTo(everything.v1, {
      script: (scripted) =>
        scripted.on('session/new', () => {
          throw new RequestError(-32_603, 'no');
        }),
    });
    await expect(failing.connection.newSession({ cwd, mcpServers: [editor] })).rejects.toThrow();
    const ending = await connectTo(everything.v1, {
      script: (scripted) => scripted.on('session/new', { sessionId: 's1' }),
    });
    await ending.connection.newSession({ cwd, mcpServers: [editor] });
    ending.agent.channel.end();
    const added = async () => (await listening()).filter((socket) => !before.includes(socket));
    await eventually(added).toEqual([]);
  });
});
