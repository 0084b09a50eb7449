import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { eventually } from '../../support/eventually.ts';
import { openSession } from '../../support/open-session.ts';

const options = [{ optionId: 'no', name: 'No', kind: 'reject_once' }];

const requests: readonly (readonly [method: string, params: JsonObject])[] = [
  ['session/request_permission', { sessionId: 's1', toolCall: { toolCallId: 't1' }, options }],
  [
    'elicitation/create',
    { sessionId: 's1', mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
  ],
  ['fs/read_text_file', { sessionId: 's1', path: '/a' }],
  ['_vendor/ask', { sessionId: 's1' }],
];

/** Waits in a handler for its end, and returns the signal. */
async function waiting(method: string, params: JsonObject) {
  const signals: AbortSignal[] = [];
  const wait = (_params: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  const { agent, session } = await openSession('v1', {
    answers: { 'session/prompt': () => new Promise(() => {}) },
    handlers: {
      requestPermission: wait,
      elicit: { form: wait },
      readTextFile: wait,
      extensions: { '_vendor/ask': wait },
    },
  });
  session.prompt('Go.').catch(() => {});
  await agent.called('session/prompt');
  const asked = agent.request(method, params);
  asked.catch(() => {});
  await eventually(() => signals).toHaveLength(1);
  return { agent, signal: signals[0], id: asked.id };
}

const isOver =
  /^(AbortError: The session is over\.|ConnectionClosedError: The connection to the agent ended\.)$/;

test.each(requests)('%s: the signal says that the agent was killed', async (method, params) => {
  const { agent, signal } = await waiting(method, params);
  agent.channel.exit({ exitCode: null, signal: 'SIGKILL' });
  await eventually(() => signal?.aborted).toBe(true);
  expect(String(signal?.reason)).toMatch(isOver);
});

test.each(requests)('%s: the signal says that the agent withdrew the request', async (method, params) => {
  const { agent, signal, id } = await waiting(method, params);
  agent.notify('$/cancel_request', { requestId: id });
  await eventually(() => signal?.aborted).toBe(true);
  expect(String(signal?.reason)).toMatch(/The agent (withdrew|cancelled) (the|its) request\./);
});
