import { addedText } from '../../conversation/growth.ts';
import { unchangedStart } from '../../conversation/list-versions.ts';
import { isPlainText } from '../../conversation/text-blocks.ts';
import type { ContentBlock } from '../../model/content.ts';
import type { Conversation, MessageEntry, SessionMessageEntry } from '../../model/conversation.ts';
import { renderEntryText } from '../../render/text.ts';
import { SettledLines, type SettledPlace } from './settled-lines.ts';

type Message = MessageEntry | SessionMessageEntry;
type Content = readonly ContentBlock[];

/** An end of a message that is longer than this is not rendered again for each piece, unless a part of it is settled. */
const maxUnsettled = 64 * 1024;

/** How many times as long it must be to be rendered again. */
const growthFactor = 1.25;

/** How much text of such ends is rendered before that counts, in characters of one message. */
const spareWork = 4 * 1024 * 1024;

/** Whether such a mark is shown depends on the letters of the whole text, see `printable`. */
const directionMark = /[\u061c\u200e\u200f]/;

/** What a block counts beside its texts. */
const blockSize = 100;

/**
 * The text of a message that grows, as it is written. What cannot change any more is settled, and only what follows it
 * is rendered again.
 */
export class GrowingText {
  readonly options: { readonly color: boolean; readonly width: number };
  /** The first line. */
  readonly heading: string;
  /** The text after what is settled. */
  text: string;
  /** Without its entries, which a message is not rendered with: each message would keep a list of its own alive. */
  #conversation: Conversation;
  #message: Message;
  /** What is settled, which is written. */
  readonly #settled: string[] = [];
  /** What is at the start of the text and would be settled, but is not written yet. */
  #lead = '';
  /** The content after what is settled, the text that its last block does not have yet, and the fence around its start. */
  #tail: readonly ContentBlock[];
  #pieces: string[] = [];
  #fence = '';
  /** The size of the tail with these pieces; when it was rendered, and when it was rendered because the text ended. */
  #size: number;
  #renderedSize: number;
  #endedSize = 0;
  #spare = spareWork;
  /** The lines of the last block, if it is a text of its own. */
  #lines: SettledLines | undefined;

  constructor(conversation: Conversation, message: Message, options: GrowingText['options']) {
    this.options = options;
    this.#conversation = withoutEntries(conversation);
    this.#message = message;
    this.#tail = message.content;
    this.#lines = this.#linesOfLast();
    this.#size = this.#renderedSize = sizeOf(this.#tail);
    this.text = this.#render(this.#tail, '');
    this.heading = this.text.split('\n', 1)[0] ?? '';
  }

  /** Whether something is settled. */
  get isContinued(): boolean {
    return this.#settled.length > 0;
  }

  /** Whether the message has more than the text. */
  get isBehind(): boolean {
    return this.#renderedSize !== this.#size;
  }

  /**
   * Takes the next version of the message.
   *
   * @returns whether it continues the one before. If not, this text has no use any more.
   */
  grow(conversation: Conversation, message: Message): boolean {
    const added = addedContent(this.#message.content, message.content);
    if (!added) return false;
    const [text, blocks] = added;
    if (this.#lines && directionMark.test(text)) {
      if (this.isContinued) return false;
      this.#lines = undefined;
    }
    this.#conversation = withoutEntries(conversation);
    this.#message = message;
    if (text !== '') this.#pieces.push(text);
    this.#size += text.length;
    if (blocks.length > 0) {
      this.#tail = [...this.#wholeTail(), ...blocks];
      this.#lines = this.#linesOfLast();
      this.#size += sizeOf(blocks);
    }
    if (this.#isDue(this.#renderedSize)) this.update();
    return true;
  }

  /**
   * The text ends here, at least for now.
   *
   * @returns whether it was brought up to date for that.
   */
  end(): boolean {
    if (!this.isBehind || !this.#isDue(this.#endedSize)) return false;
    this.#endedSize = this.#size;
    this.update();
    return true;
  }

  /** Brings the text up to date. */
  update(): void {
    if (!this.isBehind) return;
    this.text = this.#lead + this.#render(this.#wholeTail(), this.#fence);
    this.#renderedSize = this.#size;
    if (this.#size > maxUnsettled) this.#spare -= this.#size;
  }

  /** Nothing is settled any more: the text begins with what was settled, which is returned. */
  unsettle(): string {
    const { isBehind } = this;
    const settled = this.#settled.splice(0).join('');
    this.text = settled + this.text;
    this.#lead = '';
    this.#tail = this.#message.content;
    this.#pieces = [];
    this.#fence = '';
    this.#lines = this.#linesOfLast();
    this.#size = sizeOf(this.#tail);
    this.#renderedSize = isBehind ? 0 : this.#size;
    return settled;
  }

  /**
   * Settles what cannot change any more.
   *
   * @param written - How much of the text is written: the rest is not settled.
   * @returns how much of the text is settled now, and removed from its start.
   */
  settle(written: number): number {
    if (this.isBehind) return 0;
    const tail = this.#wholeTail();
    const last = tail.at(-1);
    const place = last?.type === 'text' ? this.#lines?.read(last.text) : undefined;
    if (last?.type === 'text' && place)
      return this.#settleBefore([{ type: 'text', text: last.text.slice(place.at) }], written, place);
    // What is before a block that is not text is complete.
    const index = tail.findLastIndex((block) => block?.type !== 'text');
    return index > 0 ? this.#settleBefore(tail.slice(index), written) : 0;
  }

  /** Whether the tail may be rendered again, if that was done when it had a certain size. */
  #isDue(before: number): boolean {
    const size = this.#size;
    return size <= maxUnsettled || size <= this.#spare || size >= growthFactor * before;
  }

  #settleBefore(tail: Content, written: number, place?: SettledPlace): number {
    const rest = this.#render(tail, place?.fence ?? '', 'continued');
    const end = this.text.length - rest.length;
    // This is so for each place where text is settled. If it were not, the text would have to be written again.
    if (rest === '' || this.text[end - 1] !== '\n' || !this.text.endsWith(rest)) return 0;
    const settled = Math.min(end, written);
    if (settled === 0) return 0;
    this.#settled.push(this.text.slice(0, settled));
    this.#lead = this.text.slice(settled, end);
    this.text = this.#lead + rest;
    this.#tail = tail;
    this.#fence = place?.fence ?? '';
    if (place) this.#lines?.restart(place);
    this.#size = this.#renderedSize = sizeOf(tail);
    this.#endedSize = 0;
    return settled;
  }

  #linesOfLast(): SettledLines | undefined {
    const { content } = this.#message;
    const last = content.at(-1);
    if (!last || !isPlainText(last) || directionMark.test(last.text)) return undefined;
    // The text continues that of a block before it.
    return content.at(-2)?.type === 'text' ? undefined : new SettledLines();
  }

  #wholeTail(): Content {
    const last = this.#tail.at(-1);
    if (this.#pieces.length > 0 && last?.type === 'text') {
      this.#tail = [...this.#tail.slice(0, -1), { ...last, text: last.text + this.#pieces.join('') }];
      this.#pieces = [];
    }
    return this.#tail;
  }

  #render(
    tail: Content,
    fence: string,
    start: 'whole' | 'continued' = this.isContinued ? 'continued' : 'whole',
  ) {
    const opening: Content = fence === '' ? [] : [{ type: 'text', text: `${fence}\n` }];
    const text = this.#textOf([...opening, ...tail]);
    return start === 'whole' ? text : text.slice(this.#textOf([]).length + 1);
  }

  #textOf(content: Content): string {
    return renderEntryText(this.#conversation, { ...this.#message, content }, this.options);
  }
}

function withoutEntries(conversation: Conversation): Conversation {
  return { ...conversation, entries: [] };
}

function sizeOf(content: Content): number {
  let size = 0;
  for (const block of content) {
    size += blockSize + (block?.type === 'text' ? block.text.length : JSON.stringify(block).length);
  }
  return size;
}

/** The text that the last block of content got, and the blocks after it. `undefined` if the rest is not the same. */
function addedContent(before: Content, after: Content): readonly [string, Content] | undefined {
  if (before === after) return ['', []];
  const { length } = before;
  let same = unchangedStart(before, after);
  while (same < length && before[same] === after[same]) same++;
  const added = after.slice(length);
  if (same === length) return ['', added];
  const last = before[same];
  const grown = after[same];
  if (same < length - 1 || !last || !grown || !isPlainText(last) || !isPlainText(grown)) return undefined;
  const text = addedText(last, grown, last.text, grown.text);
  return text === undefined ? undefined : [text, added];
}
