import { expect, test } from 'vitest';
import { maxUnreadResultBytes } from '../../../../src/tools/socket-wire.ts';
import { eventually } from '../../../support/eventually.ts';
import { addressOf, echoCall, openSocket, toolTarget } from '../../../support/tool-target.ts';

const resultBytes = 8 * 1024 * 1024;
const calls = 16;

// Named pipes of Windows take another amount before they count as full.
test.skipIf(process.platform === 'win32')(
  '[security: tools-slow] results that a program over stdio does not read are not kept above a limit',
  async () => {
    const target = await toolTarget('stdio', {
      big: { description: 'Returns much.', input: { type: 'object' }, run: () => 'x'.repeat(resultBytes) },
    });
    const socket = await openSocket({ path: addressOf(target.server) });
    socket.pause();
    const { params, ...message } = echoCall() as unknown as { readonly params: object };
    const requests = Array.from({ length: calls }, (_, id) => ({
      ...message,
      id,
      params: { ...params, name: 'big' },
    }));
    socket.write(`${target.token}\n${requests.map((request) => `${JSON.stringify(request)}\n`).join('')}`);
    await eventually(() => target.diagnostics.map((diagnostic) => diagnostic.message).join()).toContain(
      'More than 32 MiB of answers are not read.',
    );
    const parts: Buffer[] = [];
    let lines = 0;
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      for (const byte of part) if (byte === 10) lines++;
    });
    socket.resume();
    await eventually(() => lines).toBe(calls);
    const answers = Buffer.concat(parts)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: number; readonly error?: object });
    expect(answers.map(({ id }) => id).sort((one, other) => one - other)).toEqual(
      requests.map(({ id }) => id),
    );
    const whole = answers.filter(({ error }) => !error);
    expect(whole.length).toBeGreaterThanOrEqual(maxUnreadResultBytes / resultBytes);
    expect(whole.length).toBeLessThan(calls);
    // The program reads again, and is served again.
    socket.write(`${JSON.stringify({ ...message, id: 'next', params })}\n`);
    await eventually(() => lines).toBe(calls + 1);
    expect(target.ran).toHaveLength(1);
  },
);
