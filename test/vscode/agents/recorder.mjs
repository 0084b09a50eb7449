// Writes each call of the editor to the file that is named in its arguments.
import { serve } from './serve.mjs';

serve({
  name: 'recorder-agent',
  title: 'Agent that records',
  record: process.argv[2],
  async turn({ say }) {
    await say('It is written down.');
  },
});
