import type {
  Conversation,
  ConversationTerminal,
  MessageEntry,
  SessionMessageEntry,
  SubagentInfo,
  ToolCallEntry,
} from '../../../src/core/model/conversation.ts';

/** A red dot of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

export function message(role: MessageEntry['role'], ...content: MessageEntry['content']): MessageEntry {
  return { kind: 'message', key: role, role, messageId: null, content, origin: 'live', meta: null };
}

export function text(value: string): MessageEntry['content'][number] {
  return { type: 'text', text: value };
}

export function sessionMessage(
  fields: Partial<SessionMessageEntry>,
  ...content: SessionMessageEntry['content']
): SessionMessageEntry {
  return {
    kind: 'sessionMessage',
    key: 'session',
    messageId: 'message-1',
    senderSessionId: null,
    recipientSessionId: null,
    senderMessageId: null,
    recipientMessageId: null,
    content,
    origin: 'live',
    meta: null,
    ...fields,
  };
}

export function subagent(fields: Partial<SubagentInfo>): SubagentInfo {
  return {
    sessionId: 'child',
    title: null,
    description: null,
    cwd: null,
    additionalDirectories: null,
    capabilities: null,
    meta: null,
    ...fields,
  };
}

export function toolCall(fields: Partial<ToolCallEntry>): ToolCallEntry {
  return {
    kind: 'toolCall',
    key: 'tool',
    toolCallId: 'call-1',
    title: null,
    toolKind: 'other',
    name: null,
    status: 'completed',
    content: [],
    locations: [],
    capabilities: null,
    permission: null,
    origin: 'live',
    meta: null,
    ...fields,
  };
}

export function terminal(fields: Partial<ConversationTerminal>): ConversationTerminal {
  return {
    terminalId: 'term-1',
    owner: 'agent',
    command: null,
    argv: null,
    cwd: null,
    output: '',
    droppedBytes: 0,
    exitStatus: null,
    size: null,
    capabilities: null,
    meta: null,
    ...fields,
  };
}

export function conversation(fields: Partial<Conversation>): Conversation {
  return {
    sessionId: 'sess-1',
    entries: [],
    plans: [],
    terminals: {},
    activity: { state: 'idle', stopReason: null },
    info: { title: null, updatedAt: null },
    usage: null,
    commands: [],
    configOptions: [],
    modes: null,
    suggestions: [],
    meta: null,
    ...fields,
  };
}

/** A conversation with one of everything that a transcript can show. */
export const EXAMPLE = conversation({
  subagents: [subagent({ title: 'Explore', description: 'Searches the code.' })],
  info: { title: 'Fix the flaky test', updatedAt: '2026-03-01T10:30:00Z' },
  usage: { used: 53120, size: 200000, cost: { amount: 0.42, currency: 'USD' } },
  activity: { state: 'idle', stopReason: 'end_turn' },
  terminals: {
    'term-1': terminal({
      command: 'npm test',
      output:
        '\x1b[1mRUN\x1b[0m  queue\r\n 50%\r100%\r\n\x1b[31m✗ drains in order\x1b[39m\n\x1b[32m✓ settles\x1b[0m\n',
      exitStatus: { exitCode: 1 },
    }),
  },
  entries: [
    message(
      'user',
      text('The test `drains in order` fails one time in ten. Fix it, please.'),
      { type: 'resource_link', name: 'queue.ts', uri: 'file:///project/src/queue.ts' },
      { type: 'image', mimeType: 'image/png', data: PIXEL },
    ),
    message(
      'thought',
      text(
        'The queue resolves before the last item is written.\n\nA timer is involved, so the order depends on the machine.',
      ),
    ),
    message(
      'agent',
      text(
        '## What happens\n\nThe queue calls `flush<T>()` too early, which a slow disk makes visible, so I will await the write before the queue settles:\n\n- `push` returns a promise that is not awaited, and the caller goes on\n- `drain` looks at the length only\n\n```ts\nconst pending: Promise<void>[] = [];\nawait Promise.all(pending);\n```\n\nNext I run the tests.',
      ),
    ),
    toolCall({
      title: 'Run `npm test`',
      toolKind: 'execute',
      status: 'failed',
      content: [{ type: 'terminal', terminalId: 'term-1' }],
    }),
    toolCall({
      title: 'Edit src/queue.ts',
      toolKind: 'edit',
      locations: [{ path: '/project/src/queue.ts', line: 12 }],
      content: [
        {
          type: 'diff',
          changes: [
            {
              operation: 'modify',
              path: '/project/src/queue.ts',
              oldText: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n',
              newText: 'one\ntwo\nthree\nfour\nFIVE\nfive and a half\nsix\nseven\neight\nnine\n',
            },
          ],
          patch: null,
        },
      ],
    }),
    toolCall({
      title: 'Apply a patch',
      toolKind: 'edit',
      status: 'in_progress',
      content: [
        {
          type: 'diff',
          changes: [{ operation: 'move', oldPath: '/project/a.ts', path: '/project/b.ts' }],
          patch: {
            format: 'git_patch',
            text: 'diff --git a/a.ts b/b.ts\nrename from a.ts\nrename to b.ts\n@@ -1,2 +1,2 @@\n-const a = 1;\n+const b = 1;\n export {};\n',
          },
        },
      ],
    }),
    toolCall({
      title: 'Delete the cache',
      toolKind: 'delete',
      status: 'pending',
      rawInput: { path: '/project/.cache' },
      permission: {
        title: 'Delete /project/.cache?',
        description: null,
        options: [
          { optionId: '1', name: 'Allow', kind: 'allow_once' },
          { optionId: '2', name: 'Reject', kind: 'reject_once' },
        ],
      },
    }),
    toolCall({
      title: 'Read README.md',
      toolKind: 'read',
      content: [{ type: 'content', content: text('# Queue\n\nA queue that *drains* in order.') }],
    }),
    toolCall({
      title: 'Find the other races',
      content: [
        { type: 'session', sessionId: 'child' },
        { type: 'session', sessionId: 'elsewhere' },
      ],
    }),
    sessionMessage({ recipientSessionId: 'child' }, text('Look for other races.')),
    sessionMessage({ senderSessionId: 'child', recipientSessionId: 'sess-1' }, text('There are none.')),
    {
      kind: 'compaction',
      key: 'compaction',
      compactionId: 'c1',
      status: 'completed',
      summary: [text('The user wants a stable test.')],
      error: null,
      origin: 'live',
      meta: null,
    },
    message(
      'agent',
      { type: 'resource', resource: { uri: 'file:///project/notes.md', text: '# Notes\n' } },
      { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
      { type: '_chart', values: [1, 2] },
      text('Done.'),
    ),
    { kind: 'unknown', key: 'unknown', tag: '_vendor_update', raw: { level: 3 }, origin: 'live' },
  ],
  plans: [
    {
      planId: 'plan',
      type: 'items',
      entries: [
        { content: 'Find the race', priority: 'high', status: 'completed' },
        { content: 'Await the write', priority: 'high', status: 'in_progress' },
        { content: 'Run the tests ten times', priority: 'medium', status: 'pending' },
      ],
    },
  ],
});
