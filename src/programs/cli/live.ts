import type { Session } from '../../core/client/session/session.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';
import { isToolCallFinished } from '../../core/model/tool-call.ts';
import { cleanOutput } from '../../core/render/clean.ts';
import { aroundLines, nextLine } from '../../core/render/lines.ts';
import {
  entryText,
  type RenderTextOptions,
  renderEntryText,
  renderText,
  wrapHeading,
} from '../../core/render/text.ts';
import type { Output } from './print.ts';

type Message = Extract<ConversationEntry, { kind: 'message' | 'sessionMessage' }>;

/** What the next text of a message depends on. */
interface Progress {
  /** The end of the text, if it is {@link unfinished}. It is not written yet. */
  readonly held: string;
  /** The last characters of the clean text: whether an invisible one stays depends on those before it. */
  readonly context: string;
  /** White space that is written before the next word; `undefined` if nothing is written. */
  readonly space: string | undefined;
}

const contextLength = 16;

/**
 * The beginning of an escape sequence, of joined characters or of a character, at the end of a text. The limits are above
 * the length of real sequences, so that each piece of a text is looked at once.
 */
const unfinished =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
  /(?:\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|[\]PX^_][^\x07\x1b\n]{0,4096}|[ -/]{0,8})|[\u200d\u{e0020}-\u{e007e}]{0,8}[\ud800-\udbff]?)$/u;

/**
 * Writes a transcript while it grows: a message as its text comes, and a tool call once when it has finished. A message
 * that goes on after something else begins with its heading. Nothing of it is written twice.
 */
export class LiveTranscript {
  readonly #output: Pick<Output, 'color' | 'width' | 'result' | 'isLineOpen'>;
  readonly #messages = new Map<string, Progress>();
  /** The latest versions of the other entries, by their key. */
  readonly #whole = new Map<string, ConversationEntry>();
  /** The tool calls that a question has shown in full, by their key. */
  readonly #asked = new Set<string>();
  /** The key of the entry at the end of the output. */
  #last: string | undefined;
  #session: Pick<Session, 'conversation'> | undefined;
  /** The plans that are written. */
  #plans: Conversation['plans'] = [];
  /** What happened and is not written yet. */
  #waiting: ConversationEvent[] = [];
  #isPaused = false;
  #written = Promise.resolve();

  constructor(output: Pick<Output, 'color' | 'width' | 'result' | 'isLineOpen'>) {
    this.#output = output;
  }

  /** The user can change the width at any time. */
  get #options(): { readonly color: boolean; readonly width: number } {
    const { color, width = Number.POSITIVE_INFINITY } = this.#output;
    return { color, width };
  }

  /** Whether the cursor is behind text that continues. */
  get isLineOpen(): boolean {
    return this.#output.isLineOpen;
  }

  /** The title of the tool call that runs now. */
  get runningTool(): string | undefined {
    const running = [...this.#whole.values()].findLast((entry) => !isComplete(entry));
    return running?.kind === 'toolCall' ? (running.title ?? running.name ?? undefined) : undefined;
  }

  /** Writes from now on what happens in a session. The keys of its entries can be those of an earlier one. */
  follow(session: Pick<Session, 'conversation' | 'onEvent'>): void {
    this.#end();
    for (const known of [this.#messages, this.#whole, this.#asked]) known.clear();
    this.#session = session;
    this.#plans = session.conversation.plans;
    this.#waiting = [];
    session.onEvent((event) => {
      this.#waiting.push(event);
      // A message of the agent can have the end of a tool call, and then the output of its terminal.
      if (this.#waiting.length === 1) queueMicrotask(() => this.#takeWaiting());
    });
  }

  #takeWaiting(): void {
    if (this.#isPaused) return;
    for (const event of this.#waiting.splice(0)) this.#take(event);
  }

  #take(event: ConversationEvent): void {
    const conversation = this.#session?.conversation;
    const key = keyOf(event);
    const entry = conversation?.entries.findLast((each) => each.key === key);
    if (!conversation || !entry || entry.origin === 'replay') return;
    if (entry.kind !== 'message' && entry.kind !== 'sessionMessage')
      return this.#putWhole(conversation, entry);
    // The user has just typed the prompt.
    if (entry.kind === 'message' && entry.role === 'user') return;
    if ('text' in event) return this.#grow(conversation, entry, [{ type: 'text', text: event.text }]);
    if ('block' in event) return this.#grow(conversation, entry, [event.block]);
    // The agent has replaced the content: it is written from its start.
    if (this.#last === key) this.#end();
    this.#messages.delete(entry.key);
    if ('message' in event) this.#grow(conversation, entry, event.message.content);
  }

  /** A question has shown a tool call with its diff. When it has finished, one line says so. */
  asked({ key }: Pick<ConversationEntry, 'key'>): void {
    this.#asked.add(key);
  }

  /** Writes the incomplete entries, and the plans if they have changed. Resolves when everything is written. */
  async finishTurn(conversation: Conversation): Promise<void> {
    this.#finishEntries(conversation);
    const plans = conversation.plans === this.#plans ? '' : renderPlans(conversation, this.#options);
    if (plans !== '') this.#write(`${plans}\n\n`);
    this.#plans = conversation.plans;
    await this.#written;
  }

  /**
   * Writes the incomplete entries, and last the session and its plans. Resolves when everything is written. The title of
   * the session, often the text of its first prompt, would look like one more prompt.
   */
  async finish(conversation: Conversation): Promise<void> {
    this.#finishEntries(conversation);
    const info = { ...conversation.info, title: null };
    this.#write(renderText({ ...conversation, info, entries: [] }, this.#options));
    await this.#written;
  }

  #finishEntries(conversation: Conversation): void {
    this.#takeWaiting();
    for (const entry of conversation.entries) {
      if (!isComplete(entry) && this.#whole.delete(entry.key)) this.#put(conversation, entry);
    }
    this.#end();
  }

  /** Ends the entry that is written: the user cancelled the turn. Returns whether there was an entry. */
  cancel(): boolean {
    this.#takeWaiting();
    const open = this.#last;
    this.#end();
    return open !== undefined;
  }

  pause(): void {
    this.#takeWaiting();
    this.#end();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#takeWaiting();
  }

  #grow(conversation: Conversation, entry: Message, added: readonly ContentBlock[]): void {
    let progress = this.#messages.get(entry.key) ?? { held: '', context: '', space: undefined };
    for (const block of added) progress = this.#putBlock(conversation, entry, block, progress);
    this.#messages.set(entry.key, progress);
  }

  #putBlock(conversation: Conversation, entry: Message, block: ContentBlock, progress: Progress): Progress {
    if (block.type === 'text') return this.#putText(conversation, entry, block.text, progress);
    if (this.#open(conversation, entry)) this.#write('\n\n');
    const heading = this.#textOf(conversation, entry, []);
    this.#write(this.#textOf(conversation, entry, [block]).slice(heading.length + 1));
    return { held: '', context: '', space: '\n\n' };
  }

  #putText(conversation: Conversation, entry: Message, added: string, progress: Progress): Progress {
    const { clean, held, context } = cleaned(added, progress);
    const { space } = progress;
    const words = clean.trimEnd();
    if (words === '') return { held, context, space: space === undefined ? space : space + clean };
    const isOpen = this.#open(conversation, entry);
    const mark = space === undefined ? '' : '… ';
    const text = isOpen ? `${space}${words}` : mark + words.trimStart();
    const start = isOpen ? nextLine(text, 0) : 0;
    // Indented text cannot imitate a heading.
    const lines = text.slice(0, start) + aroundLines(text.slice(start), '  ');
    const isDim = this.#output.color && entry.kind === 'message' && entry.role === 'thought';
    this.#write(isDim ? aroundLines(lines, '\x1b[0;2m', '\x1b[0m') : lines);
    return { held, context, space: clean.slice(words.length) };
  }

  /** Begins a message, or goes on with it. Returns whether its line is open: a diagnostic on the same terminal ends it. */
  #open(conversation: Conversation, entry: Message): boolean {
    if (this.#last === entry.key) return this.#output.isLineOpen;
    this.#end();
    this.#write(`${this.#textOf(conversation, entry, [])}\n`);
    this.#last = entry.key;
    return false;
  }

  #textOf(conversation: Conversation, entry: Message, content: Message['content']): string {
    return entryText(conversation, { ...entry, content }, this.#options);
  }

  /** Writes an entry once, when it is complete. */
  #putWhole(conversation: Conversation, entry: ConversationEntry): void {
    const before = this.#whole.get(entry.key);
    this.#whole.set(entry.key, entry);
    if (!isComplete(entry)) this.#end();
    else if (!before || !isComplete(before)) this.#put(conversation, entry);
  }

  #put(conversation: Conversation, entry: ConversationEntry): void {
    this.#end();
    const render = this.#asked.has(entry.key) && isComplete(entry) ? renderHeading : renderEntryText;
    this.#write(`${render(conversation, entry, this.#options)}\n`);
    this.#last = entry.key;
  }

  /** Ends the last entry with an empty line. */
  #end(): void {
    if (this.#last === undefined) return;
    this.#write(this.#output.isLineOpen ? '\n\n' : '\n');
    this.#last = undefined;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#written = this.#output.result(text);
    // `finish` throws the error of the last write.
    this.#written.catch(() => {});
  }
}

/** The key of the entry that an event is about. `undefined` for what is not written. */
function keyOf(event: ConversationEvent): string | undefined {
  if ('key' in event) return event.key;
  if ('message' in event) return event.message.key;
  if ('toolCall' in event) return event.toolCall?.key;
  if ('compaction' in event) return event.compaction.key;
  if ('failure' in event) return event.failure.key;
  return 'entry' in event ? event.entry.key : undefined;
}

/** What can be written of a text that was added. An escape sequence without an end never is. */
function cleaned(
  added: string,
  { held, context }: Progress,
): { clean: string; held: string; context: string } {
  const text = held + added;
  const end = text.search(unfinished);
  const before = cleanOutput(context);
  const whole = cleanOutput(context + text.slice(0, end));
  // A carriage return removes what is before it, and letters can change which marks of direction stay.
  const clean = whole.startsWith(before) ? whole.slice(before.length) : cleanOutput(text.slice(0, end));
  return { clean, held: text.slice(end), context: (context + clean).slice(-contextLength) };
}

function isComplete(entry: ConversationEntry): boolean {
  return 'status' in entry ? isToolCallFinished(entry.status) : true;
}

/** The first line of {@link renderEntryText}, which a narrow terminal has on several lines. */
export function renderHeading(
  conversation: Conversation,
  entry: ConversationEntry,
  options: RenderTextOptions = {},
): string {
  const [title = ''] = renderEntryText(conversation, entry, { width: Number.POSITIVE_INFINITY }).split('\n');
  const { length } = wrapHeading(title, options.width ?? 80).split('\n');
  return renderEntryText(conversation, entry, options).split('\n').slice(0, length).join('\n');
}

/** Text of the plans, as it is in the text of the whole conversation. */
export function renderPlans(conversation: Conversation, options: RenderTextOptions = {}): string {
  const text = renderText({ ...conversation, entries: [] }, options);
  // The text always begins with the section of the session.
  const session = renderText({ ...conversation, entries: [], plans: [] }, options).trimEnd();
  return text.slice(session.length).trim();
}
