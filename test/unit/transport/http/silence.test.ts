import { describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { openChannel } from '../../../support/raw-acp-connection.ts';
import { rawServer } from '../../../support/raw-acp-server.ts';

const note = 'data: {"jsonrpc":"2.0","method":"_test/note"}\n\n';

describe('a stream that brings nothing for idleTimeoutMs', () => {
  test('ends the connection', async () => {
    const server = await rawServer();
    const { transport } = await openChannel(server.url, { idleTimeoutMs: 80 });
    const { error } = await transport.ended;
    expect(error?.message).toContain('The stream brought nothing for 80 ms.');
    await eventually(() => server.bodies()).toBe(0);
  });

  test('does not count while it brings something, be it a part of an event or a comment', async () => {
    const server = await rawServer();
    const { transport, received } = await openChannel(server.url, { idleTimeoutMs: 800 });
    const parts = [':', ' alive\n', ...note];
    for (const part of parts) {
      await server.write(part);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    // More than twice the limit.
    await eventually(() => received.length).toBe(2);
    await transport.close();
    expect(await transport.ended).toEqual({});
  });

  test('does not count while the client is paused and has no room', async () => {
    const server = await rawServer();
    const { transport, received } = await openChannel(server.url, { idleTimeoutMs: 80 });
    await eventually(() => received.length).toBe(1);
    transport.pause?.();
    const count = 200_000;
    await server.write(note.repeat(count));
    await new Promise((resolve) => setTimeout(resolve, 400));
    transport.resume?.();
    await eventually(() => received.length).toBe(count + 1);
  });
});

test('a connection that is closed while it is paused and has no room leaves no stream', async () => {
  const server = await rawServer();
  const { transport, received } = await openChannel(server.url);
  await eventually(() => received.length).toBe(1);
  transport.pause?.();
  await server.write(note.repeat(200_000));
  await transport.close();
  await eventually(() => server.bodies()).toBe(0);
  await eventually(() => server.requests.at(-1)?.kind).toBe('DELETE');
});
