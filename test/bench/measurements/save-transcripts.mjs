import { createConversationStore, emptyConversation } from '../../../dist/conversation.js';
import { openTranscripts } from '../../../dist/transcripts.js';
import { createPhrases, createRandom, linesOf } from '../phrases.mjs';

const messages = 100;
/** With them, 5,000 transcripts have 1 GB. */
const messageLength = 1800;

/** Records some of so many sessions. The words that are searched are in the one in the middle, and nowhere else. */
export async function measure({ directory, first, count, sessions }) {
  const transcripts = await openTranscripts({ directory });
  const phrase = createPhrases(createRandom(first + 1));
  for (let number = first; number < first + count; number++) {
    const sessionId = `session-${number}`;
    const store = createConversationStore(emptyConversation(sessionId));
    for (let message = 0; message < messages; message++) {
      const isPlace = number === Math.floor(sessions / 2) && message === messages / 2;
      const text = `${isPlace ? 'A velvet xylophone. ' : ''}${linesOf(phrase, messageLength)}`;
      const sessionUpdate = message % 2 === 0 ? 'user_message' : 'agent_message';
      store.apply({ sessionUpdate, messageId: `m${message}`, content: [{ type: 'text', text }] });
    }
    // The part of a session that a recording uses.
    await transcripts.record({ sessionId, cwd: '/srv/project', store, closed: new Promise(() => {}) })();
  }
  let bytes = 0;
  const own = new Set(Array.from({ length: count }, (_, index) => `session-${first + index}`));
  for await (const info of transcripts.list()) if (own.has(info.id)) bytes += info.bytes;
  await transcripts.close();
  return { bytes };
}
