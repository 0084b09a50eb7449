import { expect, test } from 'vitest';
import type { ConversationEvent } from '../../../src/model/event.ts';
import { demoAgent, runHere } from '../../process/cli/command-line.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectGenerated, table } from './generated.ts';

type EventType = ConversationEvent['type'];
type EventOf<Type> = ConversationEvent extends infer Event
  ? Event extends { readonly type: infer Types }
    ? Type extends Types
      ? Event
      : never
    : never
  : never;

interface EventLine<Type extends EventType> {
  /** What happened. */
  readonly when: string;
  /** The shape of each field. An event or a field that is missing here does not compile. */
  readonly fields: { readonly [Field in Exclude<keyof EventOf<Type>, 'type'>]: string };
}

const inMessage = {
  key: 'string',
  messageId: 'string or null',
  origin: '`live`, `replay` or `local`',
};

const eventLines: { readonly [Type in EventType]: EventLine<Type> } = {
  text: { when: 'Text was appended to a message of the agent.', fields: { ...inMessage, text: 'string' } },
  thought: { when: 'Text was appended to a thought.', fields: { ...inMessage, text: 'string' } },
  userText: {
    when: 'Text was appended to a message of the user.',
    fields: { ...inMessage, text: 'string' },
  },
  content: {
    when: 'A block that is not text was appended to a message.',
    fields: { ...inMessage, role: '`user`, `agent` or `thought`', block: '`ContentBlock`' },
  },
  messageReplaced: {
    when: 'The agent replaced the content of a message.',
    fields: { message: '`MessageEntry`' },
  },
  sessionMessage: {
    when: 'A message between sessions was added or changed.',
    fields: { message: '`SessionMessageEntry`' },
  },
  sessionMessageContent: {
    when: 'A block was appended to a message between sessions.',
    fields: { key: 'string', messageId: 'string', block: '`ContentBlock`' },
  },
  toolCall: {
    when: 'A tool call was added or changed.',
    fields: { toolCall: '`ToolCallEntry`', isNew: 'boolean' },
  },
  toolCallContent: {
    when: 'An item was appended to the output of a tool call.',
    fields: { toolCallId: 'string', content: '`ToolCallContent`' },
  },
  permission: {
    when: 'The agent asks for a permission.',
    fields: { permission: '`PendingPermission`', toolCall: '`ToolCallEntry` or null' },
  },
  plan: { when: 'A plan was added or changed.', fields: { plan: '`Plan`' } },
  planRemoved: { when: 'A plan was removed.', fields: { planId: 'string' } },
  terminal: { when: 'A terminal was added or changed.', fields: { terminal: '`ConversationTerminal`' } },
  terminalOutput: {
    when: 'Output was appended to a terminal.',
    fields: { terminalId: 'string', text: 'string' },
  },
  compaction: {
    when: 'A compaction was added or changed.',
    fields: { compaction: '`CompactionEntry`' },
  },
  compactionContent: {
    when: 'A block was appended to the summary of a compaction.',
    fields: { compactionId: 'string', block: '`ContentBlock`' },
  },
  turnFailure: {
    when: 'A turn failed or was interrupted.',
    fields: { failure: '`TurnFailureEntry`' },
  },
  unknown: { when: 'The agent sent an update of an unknown kind.', fields: { entry: '`UnknownEntry`' } },
  notice: {
    when: 'A message for the user that is not part of the transcript.',
    fields: { notice: '`SessionNotice`' },
  },
  fields: {
    when: 'Fields of the conversation changed, such as `usage` or `activity`.',
    fields: { changed: 'an object with the fields that changed' },
  },
  entryRemoved: {
    when: 'An entry was removed, because another one is the same.',
    fields: { key: 'string' },
  },
  reset: {
    when: 'Another conversation replaces the current one.',
    fields: { conversation: '`Conversation`' },
  },
};

test('the table of the lines of --format jsonl is up to date', () => {
  const rows = Object.entries(eventLines).map(([type, { when, fields }]) => [
    `\`${type}\``,
    when,
    Object.entries(fields)
      .map(([name, shape]) => `\`${name}\`: ${shape}`)
      .join('; '),
  ]);
  const head = ['`type`', 'happens', 'other fields'];
  expectGenerated('docs/command-line.md', 'event-lines', table(head, rows));
});

test.each(['v1', 'v2-markers', 'v2-baseline'])(
  '--format jsonl prints lines as the table has them, with an agent of %s',
  async (dialect) => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const args = ['prompt', 'edit, run, plan and image', '--permit', 'allow', '--format', 'jsonl'];
    const { code, stdout } = await runHere([...args, ...agent]);
    expect(code).toBe(0);
    const lines: readonly ConversationEvent[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = new Set(lines.map(({ type }) => type));
    for (const type of ['text', 'thought', 'content', 'toolCall', 'permission', 'plan', 'fields'] as const)
      expect(types).toContain(type);
    for (const { type, ...fields } of lines)
      expect(Object.keys(fields).sort(), type).toEqual(Object.keys(eventLines[type].fields).sort());
  },
);
