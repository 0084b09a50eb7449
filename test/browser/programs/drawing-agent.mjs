// An agent that sends what is hard to draw. A prompt names it. `list` and `items` grow when the turn is cancelled, and
// `more` until then. The first argument is the name that the agent gives itself.
import { serve } from '../../vscode/agents/serve.mjs';

const lines = (count, line) => Array.from({ length: count }, (_, index) => line(index)).join('\n');

const markdown = `# A heading

Some **bold** text with \`code\`, and a [file](src/a.ts:3).

\`\`\`ts
const name: string = "value"; // \u202eevil
\`\`\`

1. Do this:

   \`\`\`sh
   npm install
   \`\`\`

| Column one | Column two | Column three | Column four | Column five | Column six |
|---|---|---|---|---|---|
| a | a longer cell with several words | c | d | e | f |

- [ ] a task
- [x] a done task

---

مرحبا بك في محرر النصوص.`;

const call = (index, more) => ({
  sessionUpdate: 'tool_call',
  toolCallId: `t${index}`,
  title: `Read file ${index}`,
  kind: 'read',
  status: 'completed',
  ...more,
});

const chunk = (text) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

const long = `${lines(1000, (index) => `Paragraph ${index + 1} has *some* words.\n`)}
\`\`\`js
${lines(3000, (index) => `const value${index + 1} = compute(input);`)}
\`\`\`

The end of the text.`;

const items = lines(500, () => '- an item with `code`');

const updates = {
  markdown: () => [chunk(markdown)],
  long: () => [chunk(long)],
  more: () => [chunk(`${long}\n\n`)],
  list: () => [chunk('- one\n- tw')],
  items: () => [chunk(`${items}\n`)],
  diff: () => [
    call(0, {
      title: 'Make edits?',
      kind: 'edit',
      content: [
        {
          type: 'diff',
          path: '/project/big.js',
          oldText: lines(
            35_000,
            (index) => `  const value${index} = ${index}; // a line of text in a large file`,
          ),
          newText: lines(
            35_000,
            (index) => `  const value${index} = ${index % 3 ? index : -1}; // a line of text in a large file`,
          ),
        },
      ],
    }),
  ],
  output: () => [
    call(1, {
      kind: 'execute',
      status: 'in_progress',
      content: [
        {
          type: 'content',
          content: { type: 'text', text: lines(50_000, (index) => `line ${index} of output`) },
        },
      ],
    }),
  ],
  tools: () => Array.from({ length: 12 }, (_, index) => call(10 + index, {})),
  image: () => [
    {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'image', mimeType: 'image/png', data: 'YnJva2Vu', uri: 'file:///a/tea.png' },
    },
  ],
};

/** What each list gets when its turn is cancelled. */
const rests = { list: 'o\n- three\n', items, more: 'end' };

serve({
  name: process.argv[2] ?? 'drawing',
  title: 'An agent that draws',
  async turn({ text, update, say, signal }) {
    for (const each of updates[text]()) await update(each);
    const rest = rests[text];
    if (rest === undefined) return;
    const timer = text === 'more' ? setInterval(() => say('more '), 50) : undefined;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    clearInterval(timer);
    await say(rest);
  },
});
