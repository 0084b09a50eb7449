// Records many sessions in one directory: node recorder.mjs DIRECTORY NAME SESSIONS
// Prints a line when everything is written, and waits to be killed.
import { createConversationStore, emptyConversation } from '../../../../dist/conversation.js';
import { openTranscripts } from '../../../../dist/transcripts.js';

const [, , directory, name, count] = process.argv;
const transcripts = await openTranscripts({ directory });
const batches = 3;

async function record(index) {
  const sessionId = `s${index}`;
  const store = createConversationStore(emptyConversation(sessionId));
  const say = (text) =>
    store.apply({
      sessionUpdate: 'agent_message_chunk',
      messageId: text,
      content: { type: 'text', text: `${text} of ${sessionId}` },
    });
  say(`${name}-0`);
  transcripts.record({ sessionId, cwd: '/project', store, closed: new Promise(() => {}) });
  for (let batch = 1; batch < batches; batch++) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    say(`${name}-${batch}`);
  }
  // A batch is written when a reader has it.
  for (;;) {
    const found = await transcripts.read(sessionId).catch(() => undefined);
    if (found?.entries.some(({ messageId }) => messageId === `${name}-${batches - 1}`)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await Promise.all(Array.from({ length: Number(count) }, (_, index) => record(index)));
console.log('written');
setInterval(() => {}, 1000);
