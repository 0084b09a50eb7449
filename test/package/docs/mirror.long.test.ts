import { expect, test } from 'vitest';
import { createConversationMirror } from '../../../src/core/conversation/mirror.ts';
import { publishConversation } from '../../../src/core/conversation/publish.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { createConversationStore, emptyConversation } from '../../support/fold-any.ts';

const words = 'The function returns “true” for a leap year, and the test\n\tshows it. ';
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

/** What agents stream, in the words of both versions of the protocol: an update by its number. */
const streams: Readonly<
  Record<string, { readonly count: number; readonly update: (index: number) => object; ratio?: number }>
> = {
  'one message': {
    count: 10_000,
    update: (n) => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: words.slice(n % 50, (n % 50) + 4) },
    }),
  },
  'tool calls with changes of status and output': {
    count: 3000,
    update: (n) => ({
      sessionUpdate: n % 3 === 0 ? 'tool_call' : 'tool_call_update',
      toolCallId: `call-${Math.floor(n / 3)}`,
      ...(n % 3 === 0 && { title: `Read file ${n}`, kind: 'read', rawInput: { path: `/project/${n}.ts` } }),
      status: (['pending', 'in_progress', 'completed'] as const)[n % 3],
      ...(n % 3 === 2 && {
        content: [{ type: 'content', content: { type: 'text', text: words.repeat(10) } }],
      }),
    }),
  },
  'output of a tool call, sent as a whole': {
    count: 200,
    update: (n) => ({
      sessionUpdate: n === 0 ? 'tool_call' : 'tool_call_update',
      toolCallId: 'call-1',
      ...(n === 0 && { title: 'Run' }),
      content: [{ type: 'content', content: { type: 'text', text: words.repeat(n + 1) } }],
    }),
    ratio: 0.1,
  },
  'terminal output with colors': {
    count: 3000,
    update: (n) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId: 'terminal-1',
      data: base64(`\u001b[32m✓\u001b[0m test ${n} \u001b[2m${'.'.repeat(270)}\u001b[0m\r\n`),
    }),
  },
  // A byte that is no UTF-8 is a character of three bytes in the mirror.
  'binary terminal output': {
    count: 256,
    update: (n) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId: 'terminal-1',
      data: base64(Uint8Array.from({ length: 4096 }, (_, at) => (at * 7 + n) % 256)),
    }),
    ratio: 2,
  },
};

test.each(Object.entries(streams))(
  'a mirror takes as few of the streamed bytes as docs/conversation.md says: %s',
  async (_, { count, update: updateOf, ratio = 1.3 }) => {
    const sessionId = 'session-1';
    const store = createConversationStore(emptyConversation(sessionId));
    const mirror = createConversationMirror(sessionId, {
      requestResend(reason) {
        throw reason;
      },
    });
    let streamedBytes = 0;
    let sentBytes = 0;
    publishConversation(store, {
      send(message) {
        const json = JSON.stringify(message);
        sentBytes += Buffer.byteLength(json);
        mirror.receive(JSON.parse(json));
      },
    });
    // Each update in a message of its own: the most messages that are possible.
    for (let index = 0; index < count; index++) {
      const update = updateOf(index) as AnyUpdate;
      const line = JSON.stringify({
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId, update },
      });
      streamedBytes += Buffer.byteLength(line) + 1;
      store.apply(update);
      await Promise.resolve();
    }
    expect(mirror.getSnapshot()).toEqual(store.getSnapshot());
    expect(sentBytes / streamedBytes).toBeLessThan(ratio);
  },
);
