import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settle } from '../../../support/agents.ts';
import { eventually } from '../../../support/eventually.ts';
import { waitingTool } from '../../../support/open-tools.ts';
import { addressOf } from '../../../support/tool-client.ts';
import {
  echoCall,
  ended,
  expectRefused,
  expectServed,
  expectUntouched,
  lineFrom,
  openSocket,
  toolTarget,
} from '../../../support/tool-target.ts';

const call = `${JSON.stringify(echoCall())}\n`;

/** What a program sends in the place of the token and a line feed. */
const attacks: Readonly<Record<string, (token: string) => string>> = {
  'a wrong token': () => `${'a'.repeat(43)}\n${call}`,
  'no token': () => call,
  'an empty line': () => `\n${call}`,
  'an empty line, and nothing else': () => '\n',
  'the start of the token': (token) => `${token.slice(0, -1)}\n${call}`,
  'the token and a space': (token) => `${token} \n${call}`,
  'the token behind an empty line': (token) => `\n${token}\n${call}`,
  'the token as HTTP has it': (token) => `Authorization: Bearer ${token}\r\n\r\n${call}`,
  'a line that never ends': () => 'a'.repeat(300),
};

describe.skipIf(process.platform === 'win32')(
  '[security: tools-socket] over the socket of the way stdio',
  () => {
    test('a program without the token in its first line gets nothing, whatever else it sends', async () => {
      const target = await toolTarget('stdio');
      const other = await toolTarget('stdio');
      const all: typeof attacks = {
        ...attacks,
        'the token of another server': () => `${other.token}\n${call}`,
      };
      for (const [what, text] of Object.entries(all)) {
        target.diagnostics.splice(0);
        const socket = await openSocket({ path: addressOf(target.server) });
        socket.write(text(target.token));
        expect(await ended(socket), what).toBe('');
        await expectRefused(target);
      }
      target.diagnostics.splice(0);
      (await openSocket({ path: addressOf(target.server) })).end();
      await expectRefused(target);
      expect(other.ran).toEqual([]);
    });

    test('a line without the token is read up to 256 bytes', async () => {
      const target = await toolTarget('stdio');
      const refusals = () => target.diagnostics.filter(({ rule }) => rule === 'tools.refused');
      const socket = await openSocket({ path: addressOf(target.server) });
      socket.write('a'.repeat(256));
      await settle();
      socket.write('\n');
      expect(await ended(socket)).toBe('');
      await eventually(refusals).toMatchObject([{ message: expect.stringMatching(/Its token is wrong\.$/) }]);
      const longer = await openSocket({ path: addressOf(target.server) });
      longer.write('a'.repeat(257));
      expect(await ended(longer)).toBe('');
      await eventually(refusals).toMatchObject([
        {},
        { message: expect.stringMatching(/It sent no token\.$/) },
      ]);
    });

    test('the token may come in pieces, and with the first message', async () => {
      const target = await toolTarget('stdio');
      const socket = await openSocket({ path: addressOf(target.server) });
      for (const character of target.token) {
        socket.write(character);
        await new Promise(setImmediate);
      }
      socket.write(`\n${call.slice(0, 20)}`);
      await new Promise(setImmediate);
      socket.write(call.slice(20));
      expect(await lineFrom(socket)).toContain('"text":"ran"');
      expect(target.ran).toEqual([{ from: 'an attacker' }]);
    });

    test('only the user can enter the folder of the socket, and it is gone after the session', async () => {
      const target = await toolTarget('stdio');
      const folder = dirname(addressOf(target.server));
      const { mode, uid } = await stat(folder);
      expect(mode & 0o777).toBe(0o700);
      expect(uid).toBe(process.getuid?.());
      expect((await lstat(folder)).isSymbolicLink()).toBe(false);
      // As its own, not only because of the folder.
      expect((await stat(join(folder, 'bridge.cjs'))).mode & 0o777).toBe(0o600);
      expect((await readdir(folder)).sort()).toEqual(['bridge.cjs', 'socket']);
      await target.session.close();
      await eventually(() => stat(folder).catch(() => 'gone')).toBe('gone');
    });

    // The tests of a project run as root where another user can be had.
    test.skipIf(process.getuid?.() !== 0)(
      'another user cannot connect, with the token or without',
      async () => {
        const target = await toolTarget('stdio');
        const code = `require('node:net').connect(${JSON.stringify(addressOf(target.server))})
      .on('connect', () => process.exit(0)).on('error', ({ code }) => { console.log(code); process.exit(1); });`;
        const program = spawn(process.execPath, ['-e', code], {
          uid: 65_534,
          gid: 65_534,
          cwd: '/',
          stdio: 'pipe',
        });
        let printed = '';
        program.stdout.on('data', (chunk: Buffer) => {
          printed += chunk.toString();
        });
        await once(program, 'close');
        expect(printed).toBe('EACCES\n');
        await expectUntouched(target);
      },
    );

    test('[reliability: limit-tool-programs] a flood of connections without a token does not stop a program with the token', async () => {
      const target = await toolTarget('stdio');
      const path = addressOf(target.server);
      const agent = await openSocket({ path });
      agent.write(`${target.token}\n`);
      await new Promise(setImmediate);
      const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket({ path })));
      await eventually(() => sockets.filter(({ closed }) => closed).length).toBe(40 - 16);
      // The oldest were closed.
      expect(sockets.slice(-16).filter(({ closed }) => closed)).toEqual([]);
      expect(target.diagnostics.filter(({ rule }) => rule === 'tools.refused')[0]?.message).toContain(
        'More than 16 programs sent no token.',
      );
      await expectRefused(target);
      // The agent connected before the flood, and is served as well.
      agent.write(call);
      expect(await lineFrom(agent)).toContain('"text":"ran"');
    });

    test('[reliability: limit-tool-programs] a flood of connections with the token ends at the limit', async () => {
      const target = await toolTarget('stdio');
      const path = addressOf(target.server);
      const first = await openSocket({ path });
      first.write(`${target.token}\n`);
      const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket({ path })));
      for (const socket of sockets) socket.write(`${target.token}\n`);
      await eventually(() => sockets.filter(({ closed }) => closed).length).toBe(40 - 15);
      expect(target.diagnostics.map(({ rule }) => rule)).toContain('tools.refused');
      first.write(call);
      expect(await lineFrom(first)).toContain('"text":"ran"');
      for (const socket of sockets) socket.destroy();
      await expectServed(target);
    });

    test('what is not a message is refused, and the next message is read', async () => {
      const target = await toolTarget('stdio');
      const nested = `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`;
      for (const line of ['hello', '"hello"', '{"jsonrpc":"1.0"}', `[${call.trim()}]`, nested]) {
        target.diagnostics.splice(0);
        const socket = await openSocket({ path: addressOf(target.server) });
        socket.write(`${target.token}\n${line}\n${call}`);
        expect(await lineFrom(socket), line.slice(0, 20)).toContain('"text":"ran"');
        expect(target.diagnostics.map(({ rule }) => rule)).toContain('tools.refused');
      }
      expect(target.ran).toHaveLength(5);
    });

    test('[reliability: limit-tool-messages] a line over the limit ends the connection', async () => {
      const target = await toolTarget('stdio');
      const socket = await openSocket({ path: addressOf(target.server) });
      socket.write(`${target.token}\n${'a'.repeat(4 * 1024 * 1024 + 1)}`);
      expect(await ended(socket)).toBe('');
      await expectRefused(target);
    });

    test('[reliability: limit-tool-requests] a flood of calls is answered, and at most 64 run', async () => {
      const { tool: wait, release, mostRunning } = waitingTool();
      const target = await toolTarget('stdio', { wait });
      const socket = await openSocket({ path: addressOf(target.server) });
      socket.setEncoding('utf8');
      let answers = 0;
      socket.on('data', (text: string) => {
        answers += text.split('\n').length - 1;
      });
      const calls = Array.from({ length: 500 }, (_, id) =>
        JSON.stringify(echoCall(id)).replace('"name":"echo"', '"name":"wait"'),
      );
      socket.write(`${target.token}\n${calls.join('\n')}\n`);
      await eventually(() => answers).toBe(500 - 64);
      release();
      await eventually(() => answers).toBe(500);
      expect(mostRunning()).toBe(64);
      socket.destroy();
      await expectServed(target);
    });
  },
);
