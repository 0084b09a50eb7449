import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ConnectionStateError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { eventually } from '../../../support/eventually.ts';
import { outline } from '../../../support/open-session.ts';
import { openHttpSession } from '../../../support/raw-acp-connection.ts';
import {
  answerTo,
  initializeResult,
  type RawServerOptions,
  rawServer,
} from '../../../support/raw-acp-server.ts';

/** An agent that can only load, or only resume. */
const canOnly = (reopening: 'load' | 'resume'): JsonObject => ({
  ...initializeResult,
  agentCapabilities: {
    loadSession: reopening === 'load',
    sessionCapabilities: reopening === 'resume' ? { resume: {} } : {},
  },
});

/** A part of a message of the agent. */
const says = (messageId: string, text: string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: 's1',
    update: { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } },
  },
});

const answer = [says('m1', 'One. '), says('m1', 'Two. '), says('m2', 'Three.')] as const;
const seen = ['user: Go.', 'agent: One. ', expect.stringMatching(/^interrupted: /), 'agent: Three.'];

/** The stream of a session breaks in the middle of a turn. What the agent says then is kept by the server. */
async function breaksInTurn(agent: NonNullable<RawServerOptions['agent']>) {
  const server = await rawServer({ agent: { 'session/prompt': () => undefined, ...agent } });
  const { connection, session } = await openHttpSession(server.url, {}, { reconnect: { firstDelayMs: 1 } });
  const turn = session.prompt('Go.').catch((error: unknown) => error);
  await server.came('POST session/prompt');
  await server.send(answer[0], 's1');
  await eventually(() => outline(session.conversation)).toContain('agent: One. ');
  const stream = server.stream('s1');
  if (!stream) throw new Error('The session has no stream.');
  stream.destroy();
  await once(stream, 'close');
  // `send` waits for the next one.
  await Promise.all(answer.slice(1).map((update) => server.send(update, 's1')));
  expect(await turn).toMatchObject({ code: 'connection.closed', promptAccepted: true });
  await connection.ready;
  return { server, session };
}

test('what the server kept for a lost session is not shown beside the replay that repeats it', async () => {
  const { server, session } = await breaksInTurn({
    initialize: () => canOnly('load'),
    'session/load': (message, { send }) => {
      const go = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Go.' } };
      void send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: go } }, 's1');
      for (const update of answer) void send(update, 's1');
      void send(answerTo(message, {}), 's1');
      return undefined;
    },
  });
  expect(server.count('POST session/load')).toBe(1);
  // The text that was lost with the stream is in the history.
  expect(outline(session.conversation)).toEqual(
    seen.map((line) => (line === 'agent: One. ' ? 'agent: One. Two. ' : line)),
  );
});

test('what the server kept for a lost session is shown when the session is resumed', async () => {
  const { server, session } = await breaksInTurn({ initialize: () => canOnly('resume') });
  expect(server.count('POST session/resume')).toBe(1);
  expect(outline(session.conversation)).toEqual(seen);
});

test('a request that the server kept for a lost session is answered when the replay is complete', async () => {
  const server = await rawServer({
    agent: { initialize: () => canOnly('load'), 'session/prompt': () => undefined },
  });
  const asked: string[] = [];
  const { session } = await openHttpSession(
    server.url,
    {},
    {
      reconnect: { firstDelayMs: 1 },
      handlers: {
        requestPermission: ({ options }) => {
          asked.push(options[0]?.optionId ?? '');
          return { outcome: 'selected', optionId: 'yes' };
        },
      },
    },
  );
  const turn = session.prompt('Go.');
  await server.came('POST session/prompt');
  const stream = server.stream('s1');
  if (!stream) throw new Error('The session has no stream.');
  stream.destroy();
  await once(stream, 'close');
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const params = { sessionId: 's1', toolCall: { toolCallId: 't1' }, options };
  await server.send({ jsonrpc: '2.0', id: 7, method: 'session/request_permission', params }, 's1');
  await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
  await server.came('POST');
  const kinds = server.requests.map(({ kind }) => kind);
  expect(kinds.slice(kinds.indexOf('POST session/load'))).toEqual(
    expect.arrayContaining(['POST session/load', 'POST']),
  );
  expect(asked).toEqual(['yes']);
  expect(server.requests.filter(({ kind }) => kind === 'POST').map(({ message }) => message)).toMatchObject([
    { id: 7, result: { outcome: { optionId: 'yes' } } },
  ]);
});

test('while a lost session is opened again its calls are refused, messages are queued, and `ready` waits', async () => {
  let open = () => {};
  const server = await rawServer({
    agent: {
      initialize: () => canOnly('resume'),
      'session/resume': (message, { send }) => {
        open = () => void send(answerTo(message, {}), 's1');
        return undefined;
      },
    },
  });
  const { connection, session } = await openHttpSession(server.url, {}, { reconnect: { firstDelayMs: 1 } });
  server.stream('s1')?.destroy();
  await server.came('POST session/resume');
  let isReady = false;
  const ready = connection.ready.then(() => {
    isReady = true;
  });
  const refusal = await session.prompt('Too early.').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConnectionStateError);
  const message = expect.stringContaining('Wait for connection.ready');
  expect(refusal).toMatchObject({ method: 'session/prompt', message });
  await expect(session.setMode('plan', { allowUnsupported: true })).rejects.toBeInstanceOf(
    ConnectionStateError,
  );
  const queued = session.queue('Later.');
  expect(isReady).toBe(false);
  expect(server.count('POST session/prompt')).toBe(0);
  open();
  await ready;
  await expect(queued).resolves.toMatchObject({ stopReason: 'end_turn' });
  await expect(session.prompt('Now.')).resolves.toMatchObject({ stopReason: 'end_turn' });
  expect(outline(session.conversation)).toEqual(['user: Later.', 'user: Now.']);
});
