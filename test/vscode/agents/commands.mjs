// Runs each prompt as a command in a terminal of the editor, and says how it ended.
import { serve } from './serve.mjs';

let count = 0;
serve({
  name: 'commands-agent',
  title: 'Agent of commands',
  async turn({ text, client, sessionId, cwd, update, say }) {
    const terminal = await client.createTerminal({ sessionId, command: 'sh', args: ['-c', text], cwd });
    const toolCallId = `command-${++count}`;
    await update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: text,
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: terminal.id }],
    });
    const { exitCode, signal } = await terminal.waitForExit();
    await terminal.release();
    await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    await say(`Command ${count} ended with ${signal ?? exitCode}.`);
  },
});
