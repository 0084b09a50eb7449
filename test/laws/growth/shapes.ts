/** A message of an agent. */
export interface AgentMessage {
  readonly id?: string;
  readonly method: string;
  readonly params: object;
}

/** What an agent of version 2 sends, in any size. */
export interface Shape {
  readonly name: string;
  /** How many messages it has at first. Then twice as many are sent. */
  readonly size: number;
  /** How many sessions are open. Default: one. */
  readonly sessions?: (size: number) => number;
  /**
   * `together`: in one piece. A snapshot copies these, and the client makes one for each piece that arrives. Default: each
   * message alone.
   */
  readonly arrives?: 'alone' | 'together';
  /** Whether each event of the conversation has all of them, as docs/command-line.md says. */
  readonly isWholeInEvents?: boolean;
  readonly message: (index: number, size: number) => AgentMessage;
}

export const sessionIdOf = (number: number) => `s${number}`;

const update = (update: object, session = 0): AgentMessage => ({
  method: 'session/update',
  params: { sessionId: sessionIdOf(session), update },
});

const updates = (name: string, size: number, make: (index: number, size: number) => object): Shape => ({
  name,
  size,
  message: (index, size) => update(make(index, size)),
});

const together = (name: string, size: number, make: (index: number) => object): Shape => ({
  ...updates(name, size, make),
  arrives: 'together',
});

const wholeInEvents = (shape: Shape): Shape => ({ ...shape, isWholeInEvents: true });

const says = (messageId: string, text: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});
const adds = (content: object) => ({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content });
const message = (messageId: string, text: string) => ({
  sessionUpdate: 'agent_message',
  messageId,
  content: [{ type: 'text', text }],
});
const call = (toolCallId: string, title: string) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  title,
});
/** An edit of a file of so many lines, of which every second one changed. */
const edit = (size: number) => {
  const lines = (ending: string) =>
    Array.from({ length: size }, (_, index) => `line ${index}${index % 2 === 0 ? '' : ending}\n`).join('');
  const diff = { type: 'diff', path: '/a.ts', oldText: lines(''), newText: lines(' changed') };
  return { ...call('t', 'x'), content: [diff] };
};
/** V8 keeps the layouts of all versions of an object until it has 1,020 keys. The first message has more. */
const firstKeys = Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`first${index}`, 'value']));
const key = (index: number) => ({ _meta: { ...(index === 0 && firstKeys), [`key${index}`]: 'value' } });

/** Half of the messages add parts, and half change them again, from the first one on. */
const thenAgain =
  (make: (id: string, text: string) => object) =>
  (index: number, size: number): object =>
    index < size / 2 ? make(`i${index}`, 'x') : make(`i${index - Math.ceil(size / 2)}`, 'y');

export const shapes: readonly Shape[] = [
  updates('pieces of a line', 1000, () => says('m', 'word ')),
  updates('lines of a message', 1000, (index) => says('m', `line ${index}\n`)),
  updates('pieces of spaces', 1000, () => says('m', ' '.repeat(40))),
  updates('blocks of a message', 1000, (index) =>
    adds({ type: 'resource_link', uri: `file:///${index}`, name: 'x' }),
  ),
  updates('images of a message', 1000, () => adds({ type: 'image', data: 'AAAA', mimeType: 'image/png' })),
  updates('messages', 1000, (index) => message(`m${index}`, 'x')),
  updates('messages that change again', 1000, thenAgain(message)),
  updates('tool calls', 1000, (index) => call(`t${index}`, 'x')),
  updates('tool calls that change again', 1000, thenAgain(call)),
  updates('changes of two tool calls in turns', 1000, (index) => call(`t${index % 2}`, `${index}`)),
  updates('outputs of a tool call', 1000, (index) => ({
    sessionUpdate: 'tool_call_content_chunk',
    toolCallId: 't',
    content: { type: 'content', content: { type: 'text', text: `${index}` } },
  })),
  updates('lines of an edit', 1000, (index, size) => (index === 0 ? edit(size) : says('m', 'word '))),
  wholeInEvents(
    together('metadata keys of a session', 500, (index) => ({
      sessionUpdate: 'session_info_update',
      ...key(index),
    })),
  ),
  together('metadata keys of a message', 500, (index) => ({
    sessionUpdate: 'agent_message',
    messageId: 'm',
    ...key(index),
  })),
  wholeInEvents(
    together('metadata keys of a tool call', 500, (index) => ({ ...call('t', 'x'), ...key(index) })),
  ),
  wholeInEvents(
    together('metadata keys of a message between sessions', 500, (index) => ({
      sessionUpdate: 'session_message',
      messageId: 'm',
      ...key(index),
    })),
  ),
  wholeInEvents(
    together('metadata keys of a terminal', 500, (index) => ({
      sessionUpdate: 'terminal_update',
      terminalId: 'x',
      ...key(index),
    })),
  ),
  // See the keys above.
  together('terminals', 1100, (index) => ({
    sessionUpdate: 'terminal_update',
    terminalId: `x${index}`,
    command: 'x',
  })),
  updates('pieces of output', 1000, () => ({
    sessionUpdate: 'terminal_output_chunk',
    terminalId: 'x',
    data: 'b2sK',
  })),
  // A conversation has 1,000 plans.
  updates('plans', 250, (index) => ({
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId: `p${index}`, entries: [] },
  })),
  // A connection has 1,000 subagents.
  wholeInEvents(
    updates('subagents', 450, (index) => ({
      sessionUpdate: 'subagent_update',
      sessionId: `child${index}`,
      title: 'x',
    })),
  ),
  updates('unknown updates', 1000, (index) => ({ sessionUpdate: '_x', value: index })),
  {
    name: 'unknown notifications',
    size: 1000,
    message: (index) => ({ method: `_x${index}`, params: {} }),
  },
  {
    name: 'messages of as many sessions',
    size: 300,
    sessions: (size) => size,
    message: (index) => update(says('m', 'x'), index),
  },
  // An agent has 1,000 open requests.
  {
    name: 'questions',
    size: 450,
    message: (index) => ({
      id: `q${index}`,
      method: 'session/request_permission',
      params: {
        sessionId: sessionIdOf(0),
        title: `Question ${index}`,
        subject: { type: 'tool_call', toolCall: { toolCallId: `t${index}`, title: 'x' } },
        options: [{ optionId: 'a', name: 'Allow', kind: 'allow_once' }],
      },
    }),
  },
];

/** The messages of a shape. */
export function messagesOf(shape: Shape, size: number): readonly AgentMessage[] {
  return Array.from({ length: size }, (_, index) => shape.message(index, size));
}

/** How many sessions the messages need. */
export function sessionsOf({ sessions = () => 1 }: Shape, size: number): number {
  return sessions(size);
}
