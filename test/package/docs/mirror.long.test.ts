import { expect, test } from 'vitest';
import { createConversationMirror } from '../../../src/conversation/mirror.ts';
import { publishConversation } from '../../../src/conversation/publish.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import { createConversationStore, emptyConversation } from '../../support/fold-any.ts';
import { expectGenerated, table } from './generated.ts';

const sessionId = 'session-1';
const words = 'The function returns “true” for a leap year, and the test\n\tshows it. ';

const repeat = (count: number, make: (index: number) => AnyUpdate | AnyUpdate[]) =>
  Array.from({ length: count }, (_, index) => make(index)).flat();
const base64 = (text: string) => Buffer.from(text).toString('base64');
const chunk = (text: string, messageId?: string): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  ...(messageId !== undefined && { messageId }),
  content: { type: 'text', text },
});
const output = (text: string) => ({ type: 'content' as const, content: { type: 'text' as const, text } });

/** What agents stream, in the words of both versions of the protocol. */
const streams: readonly (readonly [name: string, updates: readonly AnyUpdate[]])[] = [
  ['one message of 10,000 chunks', repeat(10_000, (n) => chunk(`${words.slice(n % 40)}`, 'message-1'))],
  [
    'one message of 10,000 chunks of 4 characters',
    repeat(10_000, (n) => chunk(words.slice(n % 50, (n % 50) + 4))),
  ],
  ['1,000 messages of one chunk', repeat(1_000, (n) => chunk(words, `message-${n}`))],
  [
    '1,000 messages of 20 chunks',
    repeat(20_000, (n) => chunk(words.slice(0, 12), `message-${Math.floor(n / 20)}`)),
  ],
  [
    '1,000 tool calls without output',
    repeat(1_000, (n) => ({
      sessionUpdate: 'tool_call',
      toolCallId: `call-${n}`,
      title: 'Read',
      kind: 'read',
      status: 'pending',
    })),
  ],
  [
    '1,000 tool calls with two changes of status and output',
    repeat(1_000, (n) => [
      {
        sessionUpdate: 'tool_call',
        toolCallId: `call-${n}`,
        title: `Read file ${n}`,
        kind: 'read',
        status: 'pending',
        rawInput: { path: `/project/${n}.ts` },
      },
      { sessionUpdate: 'tool_call_update', toolCallId: `call-${n}`, status: 'in_progress' },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: `call-${n}`,
        status: 'completed',
        content: [output(words.repeat(10))],
      },
    ]),
  ],
  [
    'output of a tool call, sent as a whole 200 times',
    [
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'call-1',
        title: 'Run',
        kind: 'execute',
        status: 'in_progress',
      },
      ...repeat(200, (n) => ({
        sessionUpdate: 'tool_call_update',
        toolCallId: 'call-1',
        content: [output(words.repeat(n + 1))],
      })),
    ],
  ],
  [
    'terminal output of 3 MiB in 10,000 chunks, with colors',
    repeat(10_000, (n) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId: 'terminal-1',
      data: base64(`\u001b[32m✓\u001b[0m test ${n} \u001b[2m${'.'.repeat(270)}\u001b[0m\r\n`),
    })),
  ],
  [
    'binary terminal output of 1 MiB in 256 chunks',
    repeat(256, (n) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId: 'terminal-1',
      data: Buffer.from(Uint8Array.from({ length: 4096 }, (_, at) => (at * 7 + n) % 256)).toString('base64'),
    })),
  ],
  [
    '1,000 changes of plan, usage and activity',
    repeat(1_000, (n) => [
      {
        sessionUpdate: 'plan',
        entries: Array.from({ length: 5 }, (_, at) => ({
          content: `Step ${at}`,
          priority: 'medium',
          status: at < n % 6 ? 'completed' : 'pending',
        })),
      },
      { sessionUpdate: 'usage_update', used: n, size: 200_000 },
      { sessionUpdate: 'state_update', state: n % 2 ? 'idle' : 'running' },
    ]),
  ],
];

interface Measured {
  /** Bytes of the lines that the agent writes. */
  readonly streamedBytes: number;
  /** Bytes of the messages to the mirror, as JSON. */
  readonly sentBytes: number;
  readonly messages: number;
  readonly original: Conversation;
  readonly mirrored: Conversation;
}

/** Sends each update in a message of its own: the most messages that are possible. */
async function measure(updates: readonly AnyUpdate[]): Promise<Measured> {
  const store = createConversationStore(emptyConversation(sessionId));
  const mirror = createConversationMirror(sessionId, {
    requestResend(reason) {
      throw reason;
    },
  });
  let streamedBytes = 0;
  let sentBytes = 0;
  let messages = 0;
  const publisher = publishConversation(store, {
    send(message) {
      const json = JSON.stringify(message);
      sentBytes += Buffer.byteLength(json);
      messages++;
      mirror.receive(JSON.parse(json));
    },
  });
  for (const update of updates) {
    const params = { sessionId, update };
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
    streamedBytes += Buffer.byteLength(line) + 1;
    store.apply(update);
    await Promise.resolve();
  }
  publisher.stop();
  return {
    streamedBytes,
    sentBytes,
    messages,
    original: store.getSnapshot(),
    mirrored: mirror.getSnapshot(),
  };
}

const kib = (bytes: number) => `${(bytes / 1024).toLocaleString('en-US', { maximumFractionDigits: 0 })} KiB`;

test('a mirror takes less than 1.3 times the streamed bytes, or 2 times for binary output, as the table says', async () => {
  const rows: string[][] = [];
  for (const [name, updates] of streams) {
    const { streamedBytes, sentBytes, messages, original, mirrored } = await measure(updates);
    expect(messages).toBeGreaterThan(100);
    expect(mirrored).toEqual(original);
    const ratio = sentBytes / streamedBytes;
    // A byte that is no UTF-8 is a character of three bytes in the mirror.
    expect(ratio, name).toBeLessThan(name.startsWith('binary') ? 2 : 1.3);
    rows.push([name, messages.toLocaleString('en-US'), kib(streamedBytes), kib(sentBytes), ratio.toFixed(2)]);
  }
  const head = ['stream', 'messages', 'from the agent', 'to the mirror', 'ratio'];
  expectGenerated('docs/conversation.md', 'mirror', table(head, rows));
});
