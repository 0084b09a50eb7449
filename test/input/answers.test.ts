import { expect, test } from 'vitest';
import type { ClientHandlers } from '../../src/client/handlers.ts';
import type { JsonObject } from '../../src/json.ts';
import { openSession } from '../support/open-session.ts';

/** What a handler that is written in JavaScript may answer, and where it is wrong. */
type WrongAnswer = readonly [method: string, answer: unknown, where: string];

const wrong: readonly WrongAnswer[] = [
  ['fs/read_text_file', 'the text of the file', 'the whole'],
  ['fs/read_text_file', undefined, 'the whole'],
  ['fs/read_text_file', {}, 'content'],
  ['fs/read_text_file', { content: new Uint8Array(3) }, 'content'],
  ['terminal/create', { id: 't1' }, 'terminalId'],
  ['terminal/output', { output: 'the text of the file' }, 'truncated'],
  ['terminal/output', { output: null, truncated: false }, 'output'],
  ['terminal/wait_for_exit', undefined, 'the whole'],
];

const params: Readonly<Record<string, JsonObject>> = {
  'fs/read_text_file': { path: '/a' },
  'terminal/create': { command: 'make' },
  'terminal/output': { terminalId: 't1' },
  'terminal/wait_for_exit': { terminalId: 't1' },
};

/** Handlers that answer this, whatever they are asked. */
function answering(answer: unknown): ClientHandlers {
  const handle = async () => answer as never;
  const terminals = { create: handle, output: handle, waitForExit: handle, kill: handle, release: handle };
  return { readTextFile: handle, writeTextFile: handle, terminals };
}

test.each(wrong)('%s: the agent is not answered %j', async (method, answer, where) => {
  const { agent, diagnostics } = await openSession('v1', { handlers: answering(answer) });
  const { result, error } = await agent.request(method, { sessionId: 's1', ...params[method] });
  expect(result).toBeUndefined();
  expect(error).toEqual({ code: -32603, message: `The client failed to handle ${method}.` });
  expect(diagnostics).toMatchObject([{ rule: 'handler.invalid_answer', severity: 'error' }]);
  expect(diagnostics[0]?.message).toContain(`look at ${where}`);
  expect(diagnostics[0]?.message).not.toContain('the text of the file');
});

test.each(['fs/write_text_file', 'terminal/kill', 'terminal/release'])(
  '%s: what a handler answers beside is left out',
  async (method) => {
    const { agent, diagnostics } = await openSession('v1', { handlers: answering('done') });
    const request = { sessionId: 's1', path: '/a', content: '', terminalId: 't1' };
    expect((await agent.request(method, request)).result).toEqual({});
    expect(diagnostics).toEqual([]);
  },
);
