import type { Conversation, ConversationEntry, ToolCallEntry } from '../../src/core/model/conversation.ts';
import { says, toolCallUpdate } from '../support/updates.ts';

type Draft = { -readonly [K in keyof Conversation]: Conversation[K] };

/** Something that one version can express and the other cannot, so that conversations differ. */
export interface Loss {
  /** The part of the conversation that differs. */
  readonly where: string;
  readonly v1: string;
  readonly v2: string;
  /** Removes the difference from a conversation of either version. */
  readonly without: (conversation: Conversation) => Conversation;
  /**
   * The same updates in each version. Their conversations differ only in this part. Absent if updates are not enough to
   * show the difference: the session that both versions run shows it.
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
    draft.entries = draft.entries.map(
      (entry): ConversationEntry => (entry.kind === 'toolCall' ? change(entry) : entry),
    );
  });

const step = { content: 'Look', priority: 'high', status: 'pending' };
const choice = { name: 'Mode', options: [{ value: 'ask', name: 'Ask' }] };

export const losses: readonly Loss[] = [
  {
    where: '`plans[].planId`',
    v1: 'A plan can have no id. Its `planId` is `plan`.',
    v2: 'Each plan has an id.',
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
    v1: 'One file per diff, added or modified, with its complete text before and after, and without a patch.',
    v2: 'Any number of files, also moved, copied and deleted ones, with one patch for all of them, and without the texts.',
    without: toolCalls((entry) => ({
      ...entry,
      content: entry.content.map((item) =>
        item.type === 'diff' ? { type: 'diff', changes: [], patch: null } : item,
      ),
    })),
    example: {
      v1: [toolCallUpdate({ content: [{ type: 'diff', path: '/a', oldText: 'a\n', newText: 'b\n' }] })],
      v2: [
        toolCallUpdate({
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
    v1: 'A single tool call cannot be cancelled: always `null`.',
    v2: 'The agent reports for each call whether it can be cancelled now.',
    without: toolCalls((entry) => ({ ...entry, capabilities: null })),
    example: {
      v1: [toolCallUpdate({ title: 'Run' })],
      v2: [toolCallUpdate({ title: 'Run', capabilities: { cancel: {} } })],
    },
  },
  {
    where: 'clearing a field of a tool call',
    v1: '`null` keeps the value, like a missing field.',
    v2: '`null` clears the field.',
    without: toolCalls((entry) => ({ ...entry, title: null })),
    example: {
      v1: [toolCallUpdate({ title: 'Run' }), toolCallUpdate({ title: null })],
      v2: [toolCallUpdate({ title: 'Run' }), toolCallUpdate({ title: null })],
    },
  },
  {
    where: '`owner`, `argv`, `size` and `capabilities` of terminals',
    v1: 'The client runs the commands: `owner` is `client`, and `argv` has the arguments. `size` and `capabilities` are `null`. Some agents run commands themselves; their terminals are as in version 2.',
    v2: 'The agent runs the commands: `owner` is `agent`, and `argv` is `null`. It reports the size, and whether the command can be cancelled now.',
    without: changed((draft) => {
      draft.terminals = Object.fromEntries(
        Object.entries(draft.terminals).map(([id, terminal]) => [
          id,
          { ...terminal, owner: 'agent', argv: null, size: null, capabilities: null },
        ]),
      );
    }),
  },
  {
    where: '`messageId` and `key` of messages',
    v1: "An agent can omit the ids, and the user's prompt has none: `messageId` is `null`, and the client generates the key.",
    v2: "Every message has an id, and so do the user's messages.",
    without: changed((draft) => {
      draft.entries = draft.entries.map(
        (entry, place): ConversationEntry =>
          entry.kind === 'message' ? { ...entry, key: String(place), messageId: null } : entry,
      );
    }),
    example: { v1: [says('Hello')], v2: [says('Hello', 'm1')] },
  },
  {
    where: '`origin` of a prompt while it runs',
    v1: '`local` until the answer ends the turn, because the agent does not confirm a prompt.',
    v2: '`live` when the agent confirms or repeats the prompt.',
    without: changed((draft) => {
      draft.entries = draft.entries.map(
        (entry): ConversationEntry =>
          entry.kind === 'message' && entry.origin === 'local' ? { ...entry, origin: 'live' } : entry,
      );
    }),
  },
  {
    where: '`modes`',
    v1: 'An agent has modes, config options, or both.',
    v2: 'There are only config options: always `null`. `settingsOf(conversation)` reads both.',
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
    v1: 'Omitted, as version 1 requires.',
    v2: 'Kept unchanged.',
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
    v1: 'Not reported: derived from the open prompts and requests, without background work.',
    v2: 'As the agent reports it, with background work.',
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
