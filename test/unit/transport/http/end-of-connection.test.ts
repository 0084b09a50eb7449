import { describe, expect, test } from 'vitest';
import { openChannel } from '../../../support/raw-acp-connection.ts';
import { rawServer } from '../../../support/raw-acp-server.ts';

describe('the DELETE that ends the agent', () => {
  test('is sent once at the end of the connection', async () => {
    const server = await rawServer();
    const { transport } = await openChannel(server.url);
    await transport.close();
    await transport.close();
    expect(server.count('DELETE')).toBe(1);
    expect(server.requests.at(-1)?.headers['acp-connection-id']).toBe('c1');
  });

  test('is sent when the stream of the connection broke, so that the agent does not work on beside the next one', async () => {
    const server = await rawServer();
    const { transport } = await openChannel(server.url);
    await server.came('GET');
    await server.write(': hello\n\n');
    server.stream()?.destroy();
    expect((await transport.ended).error).toBeDefined();
    await server.came('DELETE');
    await transport.close();
    expect(server.count('DELETE')).toBe(1);
  });

  test('is not sent when the server has refused the connection', async () => {
    const server = await rawServer({
      answer: ({ kind }, response) => kind === 'POST _test/ping' && response.writeHead(404).end(),
    });
    const { transport } = await openChannel(server.url);
    await transport.send({ jsonrpc: '2.0', id: 1, method: '_test/ping' });
    expect((await transport.ended).error).toMatchObject({ status: 404 });
    await transport.close();
    expect(server.count('DELETE')).toBe(0);
  });
});
