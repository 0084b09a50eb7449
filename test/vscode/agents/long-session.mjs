// Has a session with this many entries: messages, thoughts, and tool calls with a diff or output.
import { serve } from './serve.mjs';

const count = Number(process.argv[2]);
const text = (said) => ({ type: 'text', text: said });

const kinds = [
  (n) => ({ sessionUpdate: 'user_message_chunk', content: text(`Question ${n}: what is next?`) }),
  (n) => ({ sessionUpdate: 'agent_thought_chunk', content: text(`About question ${n}.`) }),
  (n) => ({
    sessionUpdate: 'tool_call',
    toolCallId: `read-${n}`,
    title: `Read file ${n}`,
    kind: 'read',
    status: 'completed',
    content: [{ type: 'content', content: text(`Line one of file ${n}\nLine two`) }],
  }),
  (n) => ({
    sessionUpdate: 'tool_call',
    toolCallId: `edit-${n}`,
    title: `Edit file ${n}`,
    kind: 'edit',
    status: 'completed',
    content: [
      {
        type: 'diff',
        path: `/project/file-${n}.js`,
        oldText: `const n = ${n};\nrun(n);\n`,
        newText: `const n = ${n + 1};\nrun(n);\n`,
      },
    ],
  }),
  (n) => ({
    sessionUpdate: 'agent_message_chunk',
    content: text(`Answer ${n}: **done**, with \`code\` and a list.\n\n- one\n- two\n`),
  }),
];

serve({
  name: 'long-session-agent',
  title: 'Agent of a long session',
  sessions: {
    'A long session': () => Array.from({ length: count }, (_, index) => kinds[index % kinds.length](index)),
  },
  async turn({ say }) {
    await say('I am still here.');
  },
});
