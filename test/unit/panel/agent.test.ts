import { expect, test } from 'vitest';
import { ConnectionClosedError } from '../../../src/base/errors.ts';
import { endReport } from '../../../src/panel/agent.ts';
import { PageFaults } from '../../../src/panel/page-faults.ts';

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

test('what an error of a listener says is shortened', () => {
  const error = Object.assign(new Error('x'.repeat(2000)), { stack: 'y'.repeat(9000) });
  const fault = new PageFaults().take(error);
  expect(fault).toEqual({
    type: 'fault',
    text: expect.stringMatching(/^x{900,1000}/),
    detail: expect.stringMatching(/^y{3900,4000}/),
  });
  expect(JSON.stringify(fault).length).toBeLessThan(5200);
});
