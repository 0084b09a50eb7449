import assert from 'node:assert/strict';
import { createConversationStore, emptyConversation } from '../../../dist/conversation.js';
import { heldBytes } from '../heap.mjs';

const count = 20_000;
const characters = 200;
const text = (number, length = characters) => `${number} `.padEnd(length, 'The quick brown fox. ');

/** One update for each entry, as an agent sends it, by the kind of the entry. */
const updates = {
  'message, in one chunk': (number) => ({
    sessionUpdate: 'agent_message_chunk',
    messageId: `message-${number}`,
    content: { type: 'text', text: text(number) },
  }),
  'tool call with text': (number) => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: `call-${number}`,
    title: 'Read a file',
    kind: 'read',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: text(number) } }],
  }),
  'tool call with a diff': (number) => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: `call-${number}`,
    title: 'Edit a file',
    kind: 'edit',
    status: 'completed',
    content: [
      {
        type: 'diff',
        changes: [
          {
            operation: 'modify',
            path: 'a.txt',
            oldText: text(number, characters / 2),
            newText: text(-number, characters / 2),
          },
        ],
        patch: null,
      },
    ],
  }),
  compaction: (number) => ({
    sessionUpdate: 'compaction_update',
    compactionId: `compaction-${number}`,
    status: 'completed',
    summary: [{ type: 'text', text: text(number) }],
  }),
  'failed turn': (number) => ({
    sessionUpdate: 'turn_failed',
    cause: 'failed',
    reason: text(number),
    code: -32603,
  }),
  'unknown update': (number) => ({ sessionUpdate: '_example.com/note', text: text(number) }),
  terminal: (number) => ({
    sessionUpdate: 'terminal_update',
    terminalId: `terminal-${number}`,
    command: 'npm test',
    output: { data: Buffer.from(text(number)).toString('base64') },
  }),
};

/** What one entry of each kind holds on the heap, the index by its id included. */
export async function measure() {
  const results = [];
  // The first round compiles the code, which also takes memory.
  for (const kind of [...Object.keys(updates), ...Object.keys(updates)]) {
    results.push({ kind, characters, bytesPerEntry: (await heldBy(kind)) / count });
    // The store of this round is no longer on the stack in the next one.
    await new Promise(setImmediate);
  }
  return results.slice(results.length / 2);
}

async function heldBy(kind) {
  const before = heldBytes();
  const store = createConversationStore(emptyConversation('entries'));
  // Parsed, so that entries share no string that they do not share in a session.
  for (let number = 0; number < count; number++)
    store.apply(JSON.parse(JSON.stringify(updates[kind](number))));
  const { entries, terminals } = store.getSnapshot();
  const held = heldBytes() - before;
  assert.equal(entries.length + Object.keys(terminals).length, count);
  return held;
}
