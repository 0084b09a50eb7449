/** What the protocol requires of a client, item by item, in our own words. */

/** `v2-markers` is the earlier draft of version 2. */
export type Version = 'v1' | 'v2' | 'v2-markers';

export interface Item {
  readonly number: number;
  /** A requirement of the specification, a recommendation, or a rule that existing agents make necessary. */
  readonly level: 'must' | 'should' | 'field';
  readonly versions: readonly Version[];
  readonly rule: string;
  /** The part that only the editor can do, after `Left to the editor:`. */
  readonly editor?: string;
}

const all = ['v1', 'v2', 'v2-markers'] as const;
const both = ['v1', 'v2'] as const;
const v1 = ['v1'] as const;
const v2 = ['v2'] as const;
const markers = ['v2-markers'] as const;
const everyV2 = ['v2', 'v2-markers'] as const;

type Row = readonly [number, Item['level'], readonly Version[], string, string?];

const initialization: readonly Row[] = [
  [
    1,
    'must',
    both,
    'The first message is `initialize`. It offers the newest version that the client supports.',
  ],
  [
    2,
    'must',
    both,
    'The client identifies itself: `clientInfo` in version 1 (recommended) and `info` in version 2 (required).',
  ],
  [3, 'must', both, 'A capability that the agent omits is not supported.'],
  [
    4,
    'should',
    both,
    'If the agent answers with a version that the client does not support, the connection is closed and the user sees an error.',
  ],
  [5, 'must', v2, 'The client reads error -32022 and the versions that it lists.'],
  [6, 'must', both, 'The client calls no session method before `initialize` is answered.'],
  [7, 'must', both, 'After `initialize`, only the negotiated version is used.'],
  [8, 'must', v2, 'If `initialize` is repeated, it is repeated before any other request.'],
  [
    9,
    'must',
    both,
    'Flags of version 1 are advertised as booleans, and markers as `{}`. Only what the client serves is advertised.',
  ],
  [10, 'field', both, 'A malformed capability (`true` for an object, `{}` for a flag) enables nothing.'],
];

const gates: readonly Row[] = [
  [11, 'must', v1, '`session/load` requires `loadSession: true`.'],
  [12, 'must', markers, '`session/load` requires the marker `session.load`.'],
  [13, 'must', v2, '`session/load`, `session/set_mode`, `authenticate` and `logout` are never sent.'],
  [14, 'must', all, '`session/resume` requires its marker. In version 2 it is part of `session`.'],
  [15, 'must', all, '`session/close` requires its marker. In version 2 it is part of `session`.'],
  [16, 'must', all, '`session/list` requires its marker. In version 2 it is part of `session`.'],
  [17, 'must', all, '`session/delete` requires its marker.'],
  [18, 'must', all, 'The key `additionalDirectories` is sent only if it is advertised.'],
  [
    19,
    'must',
    all,
    'Each MCP transport requires its capability. Version 1 always allows stdio. Version 2 has no SSE. The names of custom transports begin with `_`.',
  ],
  [
    20,
    'must',
    all,
    'Images, audio and embedded resources in a prompt require their capabilities. Text and links are always allowed.',
  ],
  [
    21,
    'must',
    both,
    'Login uses a method that the agent offers, and not one of the type `terminal`. Logout requires its capability; in version 2 it requires a login method.',
  ],
  [22, 'must', everyV2, 'Session methods require that `capabilities.session` is an object.'],
  [
    23,
    'must',
    v2,
    '`tool_call/cancel` and `terminal/cancel` are sent only while that tool call or terminal offers it.',
  ],
  [24, 'must', both, 'A boolean is set only on a boolean option. Version 2 always sends the type.'],
  [25, 'must', both, 'Unstable parts of the protocol are checked like the stable ones.'],
  [26, 'must', v2, 'A prompt is never empty.'],
];

const params: readonly Row[] = [
  [
    27,
    'must',
    both,
    'The working directory, additional directories, commands of MCP servers and the filter of a list are absolute paths.',
  ],
  [
    28,
    'must',
    both,
    'An empty string is not accepted as a root. Duplicates and the working directory are omitted from the list.',
  ],
  [
    29,
    'must',
    all,
    'In version 1, `mcpServers` and its lists are sent even if they are empty, and stdio has no type. In version 2, the type is sent.',
  ],
  [30, 'must', both, 'Loading and resuming send the complete list of additional directories again.'],
  [31, 'must', v2, 'Resuming sends the working directory of the session.'],
  [
    32,
    'must',
    both,
    'The client adds no fields to the protocol. Custom data is sent in `_meta`, and custom methods begin with `_`.',
  ],
];

const serving: readonly Row[] = [
  [
    33,
    'must',
    v1,
    'Requests for files and terminals are served if they were advertised, and otherwise answered with -32601.',
  ],
  [34, 'must', v1, 'Writing a file that does not exist creates it.'],
  [
    35,
    'must',
    v1,
    'Terminal output is truncated at its beginning, at a character boundary. Released terminals stay readable.',
  ],
  [36, 'field', v1, 'Files outside the roots of the session are neither read nor written.'],
  [37, 'must', both, '`session/request_permission` is always served.'],
  [
    38,
    'must',
    both,
    'After a cancel, open permission requests are answered `cancelled`, and so are requests that arrive later.',
  ],
  [39, 'must', both, 'A permission request is answered with one of the offered options.'],
  [
    40,
    'must',
    v2,
    'The tool call in a permission request is applied before the user is asked. An unknown or missing subject is accepted.',
    'show the title and description of an unknown subject.',
  ],
  [
    41,
    'must',
    both,
    'Elicitation: modes that were not advertised are refused, unknown modes are not treated as known ones, and unknown completions are ignored.',
    'show the name of the agent, offer to decline and to cancel, let the user review a form, show a complete URL and open it only with consent.',
  ],
  [42, 'must', both, 'Unknown requests are answered with -32601. Unknown notifications are ignored.'],
  [
    43,
    'must',
    both,
    'Each request gets exactly one response, also after `$/cancel_request`. A cancel of a request that is not open is ignored.',
  ],
  [
    44,
    'must',
    both,
    'A response has the id of its request unchanged. The client never uses `null` as an id, and never uses an id for two open requests.',
  ],
];

const folding: readonly Row[] = [
  [
    45,
    'must',
    v1,
    'Chunks with the same `messageId` are one message. Without an id, a change of role or a tool call starts a new message. `null` is not an id.',
  ],
  [46, 'must', both, 'Ids are opaque.'],
  [47, 'field', both, 'A message is identified by its role and its id.'],
  [48, 'must', both, 'A plan is replaced as a whole. Version 2 has one plan for each `planId`.'],
  [
    49,
    'must',
    both,
    'In an update of a tool call, an omitted field keeps its value. `null` keeps it in version 1 and clears it in version 2. Lists are replaced.',
  ],
  [
    50,
    'must',
    v2,
    'A message update replaces the content of earlier chunks. Later chunks append to it. An update without content keeps the content.',
  ],
  [51, 'must', v2, 'An update for an unknown id creates the message, tool call or terminal.'],
  [
    52,
    'must',
    v2,
    'A snapshot of a terminal replaces its output. Chunks are decoded one by one, and a character can be split between two chunks.',
  ],
  [53, 'must', v2, '`_meta` is patched key by key. The `_meta` of a chunk belongs to the chunk.'],
  [
    54,
    'must',
    both,
    'Unknown values are kept unchanged. A malformed update of a known kind is dropped, and other updates are not affected.',
  ],
  [
    55,
    'must',
    v2,
    'Only `state_update` changes the state. An unknown state is not idle. A second idle state does not end another turn.',
  ],
  [
    56,
    'should',
    both,
    'Config options keep their order. Unknown types and categories are accepted.',
    'prefer config options to modes if an agent has both.',
  ],
  [57, 'must', v2, 'A diff without a patch is a valid diff.'],
  [
    58,
    'should',
    both,
    'Cancelling marks unfinished tool calls as cancelled. Later reports of the agent are applied.',
  ],
  [59, 'field', both, 'Updates for a session are kept if they arrive before its id is known.'],
  [60, 'must', both, 'When a load resolves, the replay is in the conversation.'],
  [61, 'must', both, 'Notices are events and not part of the transcript.'],
  [62, 'must', both, 'In `session_info_update`, `null` clears a field and an omitted field keeps its value.'],
  [63, 'must', both, 'The additional directories of a listed session are those of the latest answer.'],
];

const rest: readonly Row[] = [
  [
    64,
    'must',
    both,
    'A missing cursor or `null` ends a list. A cursor is sent back unchanged, even if it is empty.',
  ],
  [65, 'should', v2, 'Closing a session that the agent does not know succeeds.'],
  [
    66,
    'must',
    both,
    "Each line on the agent's stdin is one JSON message in UTF-8 without line breaks. Lines on its stdout that are not messages are skipped.",
  ],
  [67, 'must', both, 'Arrays of messages are never sent.'],
  [
    68,
    'should',
    both,
    'If the agent requires a login, also after a logout, the client reports an error that says so.',
    'let the user log in again.',
  ],
  [
    69,
    'must',
    both,
    "A terminal login runs the agent's program and then connects again. No login method is called.",
    'run the program in a terminal that the user sees.',
  ],
  [70, 'field', all, 'The result `null` of a load is accepted.'],
];

const sessions: readonly Row[] = [
  [
    71,
    'must',
    all,
    'A failed turn is an error with the code and the reason of the agent, and stays in the transcript. An accepted prompt is not sent again.',
  ],
  [
    72,
    'must',
    everyV2,
    'The idle state ends a turn, whenever the answer to the prompt arrives, and with or without its id. An idle state from before the prompt does not end it.',
  ],
  [
    73,
    'must',
    all,
    'Before a session is closed or deleted, or the connection is closed, open permission and elicitation requests are answered `cancelled`.',
  ],
  [74, 'field', all, 'After a reconnect, entries and their keys stay. A replay only adds new entries.'],
  [
    75,
    'should',
    all,
    '`_meta` is sent with `initialize`, with its client and capabilities, and with every call. The `_meta` of answers, updates and requests is readable.',
  ],
  [
    76,
    'must',
    all,
    'The session of a subagent is registered, and its conversation is readable from its parent. Its permission requests reach the user and name the parent.',
  ],
  [
    77,
    'must',
    all,
    'What changes a subagent is sent only if the agent permits it for that subagent: its work can be cancelled.',
  ],
  [
    78,
    'must',
    all,
    'A subagent has the state that the agent reports last. A state that is omitted is kept, and `null` means that it is not known.',
  ],
  [
    79,
    'must',
    all,
    'A message between sessions is one entry, identified by its id in the transcript. Its chunks are joined, and its updates change the fields that they carry.',
  ],
  [
    80,
    'must',
    ['v1', 'v2'],
    'A system prompt of the client requires its capability, and so does one that replaces that of the agent. Each call that opens a session sends it.',
  ],
];

export const items: readonly Item[] = [initialization, gates, params, serving, folding, rest, sessions]
  .flat()
  .map(([number, level, versions, rule, editor]) => ({
    number,
    level,
    versions,
    rule,
    ...(editor !== undefined && { editor }),
  }));
