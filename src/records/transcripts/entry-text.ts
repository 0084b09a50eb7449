import { isJsonObject, type JsonValue } from '../../core/base/json.ts';
import { findTerminal } from '../../core/conversation/select.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import type { ToolCallContent } from '../../core/model/tool-call.ts';
import { plainText } from '../../core/render/clean.ts';

type Texts = Generator<string, void, void>;

const texts: {
  readonly [K in ConversationEntry['kind']]: (
    entry: Extract<ConversationEntry, { kind: K }>,
    conversation: Conversation,
  ) => Texts;
} = {
  message: ({ content }) => joinedTexts(content),
  sessionMessage: ({ content }) => joinedTexts(content),
  *toolCall({ title, content, locations, rawInput }, conversation) {
    if (title !== null) yield title;
    for (const { path } of locations) yield path;
    for (const item of content) yield* toolTexts(item, conversation);
    if (rawInput !== undefined) yield* stringsIn(rawInput);
  },
  *compaction({ summary, error }) {
    yield* joinedTexts(summary);
    if (error !== null) yield error;
  },
  *turnFailure({ reason }) {
    yield reason;
  },
  unknown: ({ raw }) => stringsIn(raw),
};

/** The texts of an entry that a search looks at, the ones that a reader sees first. */
export function entryTexts(entry: ConversationEntry, conversation: Conversation): Texts {
  // The table is keyed by the kind.
  const read = texts[entry.kind] as (entry: ConversationEntry, conversation: Conversation) => Texts;
  return read(entry, conversation);
}

/** Neighboring texts are one: a word may be cut between two blocks. */
function* joinedTexts(blocks: readonly ContentBlock[]): Texts {
  let text = '';
  for (const block of blocks) {
    if (block.type === 'text') text += block.text;
    else yield* blockTexts(block);
  }
  if (text !== '') yield text;
}

function* blockTexts(block: ContentBlock): Texts {
  if (block.type === 'resource_link') yield `${block.name} ${block.uri}`;
  else if (block.type === 'skill') yield block.name;
  else if (block.type === 'resource') {
    const { resource } = block;
    yield resource.uri;
    if ('text' in resource) yield resource.text;
  }
}

function* toolTexts(item: ToolCallContent, conversation: Conversation): Texts {
  if (item.type === 'content') yield* joinedTexts([item.content]);
  else if (item.type === 'terminal') {
    const terminal = findTerminal(conversation, item.terminalId);
    if (!terminal) return;
    if (terminal.command !== null) yield terminal.command;
    yield plainText(terminal.output);
  } else yield* stringsIn(item as unknown as JsonValue);
}

/** How deep values are searched that the protocol does not define. */
const maxDepth = 64;

function* stringsIn(value: JsonValue, depth = 0): Texts {
  if (typeof value === 'string') yield value;
  else if (depth < maxDepth && Array.isArray(value))
    for (const item of value as readonly JsonValue[]) yield* stringsIn(item, depth + 1);
  else if (depth < maxDepth && isJsonObject(value))
    for (const member of Object.values(value)) yield* stringsIn(member, depth + 1);
}
