// A turn as agents have them: it asks for permission, writes a file through the editor, and runs a command there.
import { join } from 'node:path';
import { serve } from './serve.mjs';

const oldText = 'def is_leap_year(year):\n    return year % 4 == 0\n';
const newText =
  'def is_leap_year(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n';
const check = 'for n in 1 2 3; do echo "check $n of 3"; sleep 0.2; done; echo \'all is well\'';

serve({
  name: 'turn-agent',
  title: 'Agent of a turn',
  async turn({ client, sessionId, cwd, update, say, run }) {
    const path = join(cwd, 'leap.py');
    await say(
      'I correct the **leap years**, then I check:\n\n- `leap.py` gets the rule of centuries\n- a command runs\n\n',
    );
    await update({
      sessionUpdate: 'tool_call',
      toolCallId: 'edit',
      title: 'Edit leap.py',
      kind: 'edit',
      status: 'pending',
      content: [{ type: 'diff', path, oldText, newText }],
      locations: [{ path, line: 2 }],
    });
    const { outcome } = await client.request('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: 'edit' },
      options: [
        { optionId: 'once', name: 'Allow', kind: 'allow_once' },
        { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    });
    const isAllowed = outcome.outcome === 'selected' && outcome.optionId === 'once';
    if (isAllowed) await client.request('fs/write_text_file', { sessionId, path, content: newText });
    await update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'edit',
      status: isAllowed ? 'completed' : 'failed',
    });
    const { exitCode } = await run('Check the calendar', check);
    await say(`Done. The command ended with ${exitCode}.`);
  },
});
