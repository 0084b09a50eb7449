import { expect, test } from 'vitest';
import { everything } from '../support/agents.ts';
import { openSession } from '../support/open-session.ts';

const requests = [
  ['fs/read_text_file', { path: '/etc/passwd' }],
  ['fs/write_text_file', { path: '/etc/passwd', content: '' }],
  ['terminal/create', { command: 'id' }],
  ['terminal/output', { terminalId: 't1' }],
  ['terminal/wait_for_exit', { terminalId: 't1' }],
  ['terminal/kill', { terminalId: 't1' }],
  ['terminal/release', { terminalId: 't1' }],
  ['elicitation/create', { mode: 'form', message: 'Your password?', requestedSchema: {} }],
  ['mcp/message', { connectionId: 'c', method: 'x' }],
] as const;

test.each(requests)('what has no handler is refused: %s', async (method, params) => {
  const { agent } = await openSession('v1', { initialize: everything.v1 });
  const { error, result } = await agent.request(method, { sessionId: 's1', ...params });
  expect(error?.code).toBe(-32601);
  expect(result).toBeUndefined();
});
