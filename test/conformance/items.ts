/** What the protocol asks of a client, item by item, in our own words. */

/** `v2-markers` is the earlier draft of version 2. */
export type Version = 'v1' | 'v2' | 'v2-markers';

export interface Item {
  readonly number: number;
  /** What the rule is: one that must be kept, one that should be, or one that the field has taught. */
  readonly level: 'must' | 'should' | 'field';
  readonly versions: readonly Version[];
  readonly rule: string;
  /** What of it only the editor can do, with what the library hands to it. */
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
  [1, 'must', both, 'The first message is `initialize`, and asks for the newest version the client speaks.'],
  [
    2,
    'must',
    both,
    'The client says who it is: `clientInfo` in version 1, where it should, and `info` in version 2.',
  ],
  [3, 'must', both, 'What the agent leaves out of its capabilities is not supported.'],
  [
    4,
    'should',
    both,
    'An answer in a version that the client does not speak ends the connection, and the user gets an error.',
  ],
  [5, 'must', v2, 'Error -32022 is read with the versions it names.'],
  [6, 'must', both, 'No session method is called before `initialize` is answered.'],
  [7, 'must', both, 'After `initialize` only the negotiated version is spoken.'],
  [8, 'must', v2, '`initialize` is repeated before the first other request, if at all.'],
  [
    9,
    'must',
    both,
    'Flags are advertised as booleans in version 1, markers as `{}`, and nothing that is not served.',
  ],
  [10, 'field', both, 'A malformed marker (`true` for an object, `{}` for a flag) enables nothing.'],
];

const gates: readonly Row[] = [
  [11, 'must', v1, '`session/load` needs `loadSession: true`.'],
  [12, 'must', markers, '`session/load` needs the marker `session.load`.'],
  [13, 'must', v2, '`session/load`, `session/set_mode`, `authenticate` and `logout` are never sent.'],
  [14, 'must', all, '`session/resume` needs its marker; in version 2 it comes with `session`.'],
  [15, 'must', all, '`session/close` needs its marker; in version 2 it comes with `session`.'],
  [16, 'must', all, '`session/list` needs its marker; in version 2 it comes with `session`.'],
  [17, 'must', all, '`session/delete` needs its marker.'],
  [18, 'must', all, 'The key `additionalDirectories` is sent only where it is advertised.'],
  [
    19,
    'must',
    all,
    "Each MCP transport needs its capability; stdio is free in version 1, SSE is gone in version 2, and transports of an agent's own begin with `_`.",
  ],
  [
    20,
    'must',
    all,
    'Images, audio and embedded resources in a prompt need their capabilities; text and links are free.',
  ],
  [
    21,
    'must',
    both,
    'Logging in takes a method that the agent offers and that is not of type `terminal`; logging out needs its capability, in version 2 any method.',
  ],
  [22, 'must', everyV2, 'Any session method needs `capabilities.session` to be an object.'],
  [23, 'must', v2, '`tool_call/cancel` and `terminal/cancel` are sent only while that very one offers it.'],
  [24, 'must', both, 'A boolean is set only on a boolean option; version 2 always says the type.'],
  [25, 'must', both, 'What is not stable in the protocol is gated like the rest.'],
  [26, 'must', v2, 'A prompt is never empty.'],
];

const params: readonly Row[] = [
  [
    27,
    'must',
    both,
    'The working directory, additional directories, commands of MCP servers and the filter of a list are absolute paths.',
  ],
  [28, 'must', both, 'No root is an empty string; duplicates and the working directory itself are left out.'],
  [
    29,
    'must',
    all,
    'Version 1 gets `mcpServers` and their lists even where they are empty, and stdio without a type; version 2 gets the type.',
  ],
  [30, 'must', both, 'Loading and resuming send the whole list of additional directories again.'],
  [31, 'must', v2, "Resuming sends the session's own working directory."],
  [
    32,
    'must',
    both,
    "No fields of our own beside the protocol's: data goes under `_meta`, and methods of one's own begin with `_`.",
  ],
];

const serving: readonly Row[] = [
  [33, 'must', v1, 'Files and terminals are served if they were advertised, and answered -32601 otherwise.'],
  [34, 'must', v1, 'Writing a file that is not there creates it.'],
  [
    35,
    'must',
    v1,
    'The output of a terminal is cut at its beginning, between characters; released terminals stay readable.',
    'Goes on showing what a released terminal printed.',
  ],
  [36, 'field', v1, "Files outside the session's roots are neither read nor written."],
  [37, 'must', both, '`session/request_permission` is always served.'],
  [
    38,
    'must',
    both,
    'After a cancel, open permission requests are answered `cancelled`, and those that come late too.',
  ],
  [39, 'must', both, 'A permission is answered with an option that was offered.'],
  [
    40,
    'must',
    v2,
    'The tool call in a permission request is applied before the user is asked; a subject that is unknown or absent is no obstacle.',
    'Shows an unknown subject by its title and description.',
  ],
  [
    41,
    'must',
    both,
    'Elicitation: modes that were not advertised are refused, unknown modes are not taken for known ones, unknown completions are passed over.',
    'Names the agent, offers to decline and to cancel, lets a form be reviewed, shows a URL whole and opens it only with consent.',
  ],
  [42, 'must', both, 'Unknown requests are answered -32601; unknown notifications are passed over.'],
  [
    43,
    'must',
    both,
    'Each request gets one response, after `$/cancel_request` too; cancels of what is not open are passed over.',
  ],
  [
    44,
    'must',
    both,
    'The ids of requests go back as they came; our own are never `null` and never used twice at a time.',
  ],
];

const folding: readonly Row[] = [
  [
    45,
    'must',
    v1,
    'Chunks with one `messageId` are one message; without an id, a change of role or a tool call begins a new one; `null` is no id.',
  ],
  [46, 'must', both, 'Ids are opaque.'],
  [47, 'field', both, 'A message is known by its role and its id.'],
  [48, 'must', both, 'A plan is replaced as a whole; version 2 has one for each `planId`.'],
  [
    49,
    'must',
    both,
    'A tool call update: version 1 keeps what is omitted or `null`, version 2 clears `null`; lists are replaced.',
  ],
  [
    50,
    'must',
    v2,
    'A message update replaces what chunks brought, chunks append to it, and one without content keeps it.',
  ],
  [51, 'must', v2, 'An update for an unknown id begins the message, tool call or terminal.'],
  [
    52,
    'must',
    v2,
    "A terminal's snapshot replaces its output; chunks are decoded one by one, and may split a character.",
  ],
  [53, 'must', v2, '`_meta` is patched key by key; that of a chunk belongs to the chunk.'],
  [
    54,
    'must',
    both,
    'What is unknown is kept as it came; a known update that is malformed is dropped, and it alone.',
  ],
  [
    55,
    'must',
    v2,
    'Only `state_update` changes the state; an unknown state is not idle; resting twice ends one turn.',
  ],
  [
    56,
    'should',
    both,
    'Config options keep their order; types and categories that are unknown do no harm.',
    'Prefers config options over modes where an agent has both.',
  ],
  [57, 'must', v2, 'A diff without a patch is a diff.'],
  [58, 'should', both, 'Cancelling marks unfinished tool calls, and what the agent still reports is taken.'],
  [59, 'field', both, 'Updates for a session whose id is still to come are not lost.'],
  [60, 'must', both, 'A replay is in the conversation when the load resolves.'],
  [61, 'must', both, 'Notices are events, and not part of the transcript.'],
  [62, 'must', both, 'In `session_info_update` `null` clears and what is omitted stays.'],
  [
    63,
    'must',
    both,
    'The additional directories of a listed session are what this answer says, and nothing older.',
  ],
];

const rest: readonly Row[] = [
  [
    64,
    'must',
    both,
    'A missing cursor or `null` ends a list; a cursor goes back as it came, the empty one too.',
  ],
  [65, 'should', v2, 'Closing a session that the agent does not know succeeds.'],
  [
    66,
    'must',
    both,
    "One JSON message a line in UTF-8, with no line break in it, and nothing else on the agent's input; noise on its output does no harm.",
  ],
  [67, 'must', both, 'Arrays of messages are never sent.'],
  [
    68,
    'should',
    both,
    'Being told to log in, after a logout too, is an error that says so.',
    'Lets the user log in again.',
  ],
  [
    69,
    'must',
    both,
    "Logging in by a terminal is running the agent's program, then connecting again: no login method is called.",
    'Runs the program in a terminal that the user sees.',
  ],
  [70, 'field', all, 'The answer `null` to a load is an answer.'],
];

const sessions: readonly Row[] = [
  [
    71,
    'must',
    all,
    'A turn that fails is an error with the code and the reason of the agent, and stays in the transcript; a prompt that the agent accepted is not sent again.',
  ],
  [
    72,
    'must',
    everyV2,
    'The idle state ends a turn, wherever the answer to the prompt comes, with or without its id; an idle state from before the prompt does not.',
  ],
  [
    73,
    'must',
    all,
    'Closing or deleting a session, and closing the connection, first answers open permission and elicitation requests `cancelled`.',
  ],
  [
    74,
    'field',
    all,
    'After a reconnect the entries and their keys stay, and a replay only adds what is new.',
  ],
  [
    75,
    'should',
    all,
    '`_meta` is sent with `initialize`, its client and its capabilities, and with every call; that of answers, updates and requests is readable.',
  ],
  [
    76,
    'must',
    everyV2,
    "A subagent's session is registered and its conversation readable from its parent; its permission requests reach the user with the parent named.",
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
