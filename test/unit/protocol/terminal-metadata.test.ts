import { expect, test } from 'vitest';
import { terminalText } from '../../../src/conversation/select.ts';
import { connectTo, everything, settle } from '../../support/agents.ts';

const call = (sessionUpdate: string, rest: object) => ({ sessionUpdate, toolCallId: 't1', ...rest });

test('[agents: terminal-metadata] output that a version 1 agent puts into the metadata of its tool call is a terminal', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) => agent.on('session/new', { sessionId: 's1' }),
  });
  const session = await connection.newSession({ cwd: '/workspace' });
  const terminal_id = '__proto__';
  agent.update(
    's1',
    call('tool_call', {
      title: 'npm test',
      content: [{ type: 'terminal', terminalId: terminal_id }],
      _meta: { terminal_info: { terminal_id, cwd: '/workspace' } },
    }),
    call('tool_call_update', { _meta: { terminal_output: { terminal_id, data: 'résumé 🚀\n' } } }),
    call('tool_call_update', {
      status: 'completed',
      _meta: {
        terminal_output_delta: { terminal_id, data: 'done\n' },
        terminal_exit: { terminal_id, exit_code: 0, signal: null },
      },
    }),
    call('tool_call_update', {
      _meta: { terminal_output: { data: 'of no terminal' }, terminal_exit: 'soon' },
    }),
  );
  await settle();
  const { terminals, entries } = session.conversation.getSnapshot();
  expect(Object.keys(terminals)).toEqual([terminal_id]);
  const terminal = Object.values(terminals)[0];
  expect(terminal).toMatchObject({ cwd: '/workspace', exitStatus: { exitCode: 0, signal: null } });
  expect(terminal && terminalText(terminal)).toBe('résumé 🚀\ndone\n');
  expect(entries).toMatchObject([{ kind: 'toolCall', status: 'completed' }]);
});
