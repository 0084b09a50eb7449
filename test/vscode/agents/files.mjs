// Reads and writes files through the editor. A prompt is a command: `read FILE`, or `write FILE JSON-STRING`. The answer
// is what the agent reads from the editor afterwards, as JSON.
import { join } from 'node:path';
import { serve } from './serve.mjs';

serve({
  name: 'files-agent',
  title: 'Agent of files',
  async turn({ text, client, sessionId, cwd, say }) {
    const [, command, file, content] = /^(read|write) (\S+) ?(.*)$/s.exec(text);
    const path = join(cwd, file);
    try {
      if (command === 'write') {
        await client.request('fs/write_text_file', { sessionId, path, content: JSON.parse(content) });
      }
      const read = await client.request('fs/read_text_file', { sessionId, path });
      await say(`\`${JSON.stringify(read.content)}\` after ${command} ${file}`);
    } catch (error) {
      await say(`Error ${error.code} after ${command} ${file}`);
    }
  },
});
