import type { Conversation, Entry, ToolCallEntry } from '../../src/model/conversation.ts';

type Draft = { -readonly [K in keyof Conversation]: Conversation[K] };

/** Something that one version can say and the other cannot, so that conversations differ. */
export interface Loss {
  /** Where in the conversation it shows. */
  readonly where: string;
  readonly v1: string;
  readonly v2: string;
  /** Takes what differs out of a conversation of either version. */
  readonly without: (conversation: Conversation) => Conversation;
  /**
   * The same news in either version's words, for which the conversations differ in just this. Absent where it takes
   * more than news: the story that both versions tell shows it.
   */
  readonly example?: { readonly v1: readonly object[]; readonly v2: readonly object[] };
}

function changed(change: (draft: Draft) => void): Loss['without'] {
  return (conversation) => {
    const draft: Draft = { ...conversation };
    change(draft);
    return draft;
  };
}

const toolCalls = (change: (entry: ToolCallEntry) => ToolCallEntry) =>
  changed((draft) => {
    draft.entries = draft.entries.map((entry): Entry => (entry.kind === 'toolCall' ? change(entry) : entry));
  });

const step = { content: 'Look', priority: 'high', status: 'pending' };
const update = (toolCallId: string, fields: object) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...fields,
});
const chunk = (messageId: string | undefined, text: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId !== undefined && { messageId }),
});
const choice = { name: 'Mode', options: [{ value: 'ask', name: 'Ask' }] };

export const losses: readonly Loss[] = [
  {
    where: '`plans[].planId`',
    v1: 'A plan has no name: there is one, and its `planId` is `plan`.',
    v2: 'Each plan has its id, and there may be several.',
    without: changed((draft) => {
      draft.plans = draft.plans.map((plan) => ({ ...plan, planId: '' }));
    }),
    example: {
      v1: [{ sessionUpdate: 'plan', entries: [step] }],
      v2: [{ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p1', entries: [step] } }],
    },
  },
  {
    where: 'diffs: `changes[]` and `patch`',
    v1: 'One file a diff, added or modified, with its whole text before and after; no patch.',
    v2: 'Any number of files, moved, copied and deleted ones too, with one patch for all; the texts themselves are not there.',
    without: toolCalls((entry) => ({
      ...entry,
      content: entry.content.map((item) =>
        item.type === 'diff' ? { type: 'diff', changes: [], patch: null } : item,
      ),
    })),
    example: {
      v1: [update('t', { content: [{ type: 'diff', path: '/a', oldText: 'a\n', newText: 'b\n' }] })],
      v2: [
        update('t', {
          content: [
            {
              type: 'diff',
              changes: [{ operation: 'modify', path: '/a' }],
              patch: { format: 'git_patch', text: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n' },
            },
          ],
        }),
      ],
    },
  },
  {
    where: '`capabilities` of tool calls',
    v1: 'A tool call cannot be cancelled by itself: always `null`.',
    v2: 'The agent says of each call whether it can be cancelled now.',
    without: toolCalls((entry) => ({ ...entry, capabilities: null })),
    example: {
      v1: [update('t', { title: 'Run' })],
      v2: [update('t', { title: 'Run', capabilities: { cancel: {} } })],
    },
  },
  {
    where: 'clearing a field of a tool call',
    v1: '`null` keeps what is there, as leaving the field out does.',
    v2: '`null` clears.',
    without: toolCalls((entry) => ({ ...entry, title: null })),
    example: {
      v1: [update('t', { title: 'Run' }), update('t', { title: null })],
      v2: [update('t', { title: 'Run' }), update('t', { title: null })],
    },
  },
  {
    where: '`terminals`',
    v1: "Terminals are the editor's own, run for the agent: what they print is with their handler, and not here.",
    v2: "Terminals are the agent's, and are shown: command, output, exit.",
    without: changed((draft) => {
      draft.terminals = {};
    }),
    example: {
      v1: [update('t', { content: [{ type: 'terminal', terminalId: 'x' }] })],
      v2: [
        update('t', { content: [{ type: 'terminal', terminalId: 'x' }] }),
        { sessionUpdate: 'terminal_update', terminalId: 'x', command: 'make', output: { data: 'b2s=' } },
      ],
    },
  },
  {
    where: '`messageId` and `key` of messages',
    v1: "An agent may leave the ids out, and none is given to the user's prompt: `null`, with a key of our own.",
    v2: "Every message has its id, the user's too.",
    without: changed((draft) => {
      draft.entries = draft.entries.map(
        (entry, place): Entry =>
          entry.kind === 'message' ? { ...entry, key: String(place), messageId: null } : entry,
      );
    }),
    example: { v1: [chunk(undefined, 'Hello')], v2: [chunk('m1', 'Hello')] },
  },
  {
    where: '`origin` of a prompt while it runs',
    v1: '`local` until the answer ends the turn: there is no receipt.',
    v2: "`live` from the receipt or the agent's own words on.",
    without: changed((draft) => {
      draft.entries = draft.entries.map(
        (entry): Entry =>
          entry.kind === 'message' && entry.origin === 'local' ? { ...entry, origin: 'live' } : entry,
      );
    }),
  },
  {
    where: '`modes`',
    v1: 'What the session may do is a mode, a config option, or both.',
    v2: 'There are config options alone: always `null`. `settings(conversation)` reads either.',
    without: changed((draft) => {
      draft.modes = null;
      draft.configOptions = [];
    }),
    example: {
      v1: [{ sessionUpdate: 'current_mode_update', currentModeId: 'ask' }],
      v2: [
        {
          sessionUpdate: 'config_option_update',
          configOptions: [
            { ...choice, configId: 'mode', category: 'mode', type: 'select', currentValue: 'ask' },
          ],
        },
      ],
    },
  },
  {
    where: '`configOptions[]` of unknown types',
    v1: 'Left out, as that version asks.',
    v2: 'Kept as they came.',
    without: changed((draft) => {
      draft.configOptions = draft.configOptions.filter(({ type }) => type === 'select' || type === 'boolean');
    }),
    example: {
      v1: [
        {
          sessionUpdate: 'config_option_update',
          configOptions: [{ id: 'dial', name: 'Dial', type: '_dial', currentValue: 3 }],
        },
      ],
      v2: [
        {
          sessionUpdate: 'config_option_update',
          configOptions: [{ configId: 'dial', name: 'Dial', type: '_dial', currentValue: 3 }],
        },
      ],
    },
  },
  {
    where: '`activity`',
    v1: 'Not reported: it follows from the prompts and questions that are open. No work in the background.',
    v2: 'As the agent reports it, with the work in the background.',
    without: changed((draft) => {
      draft.activity = { state: 'idle', stopReason: null };
    }),
    example: {
      v1: [],
      v2: [
        {
          sessionUpdate: 'state_update',
          state: 'running',
          background: [{ type: 'tool_call', toolCallId: 't' }],
        },
      ],
    },
  },
];
