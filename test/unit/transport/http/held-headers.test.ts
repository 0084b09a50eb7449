import { expect, test } from 'vitest';
import { outline } from '../../../support/open-session.ts';
import { connectHttp } from '../../../support/raw-acp-connection.ts';
import { chunk, rawServer } from '../../../support/raw-acp-server.ts';

const cwd = '/project';
const prompt = [{ type: 'text' as const, text: 'Hello' }];

/** Passes the answer to the stream of a session on when there is another one, as nginx does with TLS and HTTP/2. */
function holdingHeaders(): typeof fetch {
  let release: () => void = () => {};
  return async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'POST') release();
    if (new Headers(init?.headers).has('acp-session-id') && init?.method === 'GET') {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    return response;
  };
}

test('a message does not wait for long until the stream of its session is answered', async () => {
  const server = await rawServer({
    agent: {
      'session/prompt': (_message, { send }) => {
        void send(chunk('s1', 'Hello'), 's1');
        return { stopReason: 'end_turn' };
      },
    },
  });
  const { connection, diagnostics } = await connectHttp(server.url, { fetch: holdingHeaders() });
  const session = await connection.newSession({ cwd });
  expect((await session.prompt(prompt)).stopReason).toBe('end_turn');
  expect(outline(session.conversation)).toEqual(['user: Hello', 'agent: Hello']);
  expect(diagnostics).toEqual([]);
  expect(server.count('GET s1')).toBe(1);
});

test('a message waits until a stream that is answered soon is open', async () => {
  const order: string[] = [];
  const server = await rawServer({
    answer: async ({ kind }) => {
      if (kind === 'GET s1') await new Promise((resolve) => setTimeout(resolve, 100));
      order.push(kind);
      return false;
    },
  });
  const { connection } = await connectHttp(server.url);
  await connection.loadSession({ sessionId: 's1', cwd });
  expect(order.indexOf('GET s1')).toBeLessThan(order.indexOf('POST session/load'));
});
