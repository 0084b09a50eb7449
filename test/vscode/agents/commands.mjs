// Runs each prompt as a command in a terminal of the editor, and says how it ended.
import { serve } from './serve.mjs';

let count = 0;
serve({
  name: 'commands-agent',
  title: 'Agent of commands',
  async turn({ text, say, run }) {
    const { exitCode, signal } = await run(text, text);
    await say(`Command ${++count} ended with ${signal ?? exitCode}.`);
  },
});
