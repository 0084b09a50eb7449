import { expect, test } from 'vitest';
import { ConnectionClosedError } from '../../../src/core/base/errors.ts';
import { endReport } from '../../../src/ui/panel/agent.ts';

const exit = { exitCode: 3, signal: null, stderrTail: '' };
const named = { name: 'agent', title: null, version: '1' };

test.each([
  [{ exit }, null, 'The agent exited with code 3.', null],
  [{ exit }, named, 'agent exited with code 3.', null],
  [{ exit }, { ...named, title: 'The Title' }, 'The Title exited with code 3.', null],
  [{ exit: { ...exit, stderrTail: 'why\n' } }, named, 'agent exited with code 3.', 'why'],
  [{}, { ...named, title: 'The Title' }, 'The Title closed the connection.', null],
  [{ error: new ConnectionClosedError('Cut off.\nmore') }, named, 'Cut off.', null],
] as const)('the end %j of the agent %j is shown to the user', (end, agent, reason, detail) => {
  const code = 'exit' in end ? 'agent.exit' : 'connection.closed';
  expect(endReport(end, agent)).toEqual({ reason, detail, code });
});
