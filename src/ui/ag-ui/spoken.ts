import type { AGUIEvent, Message } from '@ag-ui/client';
import { type ContentBlock, joinedText } from '../../core/model/content.ts';
import type { MessageEntry } from '../../core/model/conversation.ts';
import type { ContentEvent, TextEvent } from '../../core/model/event.ts';
import type { EarlierEntries } from './earlier-entries.ts';
import { type Change, event } from './event.ts';
import { spokenMessage } from './messages.ts';
import { placedPart } from './parts.ts';

type Role = MessageEntry['role'];

const rolesOfTexts: Readonly<Record<TextEvent['type'], Role>> = {
  text: 'agent',
  thought: 'thought',
  userText: 'user',
};

const onlySnapshot: Change = { events: [], needsSnapshot: true };

/** What the reader has got of a message in this turn. */
interface Spoken {
  readonly key: string;
  readonly role: Role;
  readonly content: ContentBlock[];
  /** How many characters its texts have. */
  length: number;
  /** How many of its blocks are not text. */
  parts: number;
  /** Whether it is the whole message, also where the message began in an earlier turn. */
  readonly isWhole: boolean;
}

/** The messages of the turn that consist of words. One of them is open at a time. */
export class SpokenMessages {
  readonly #known = new Map<string, Spoken>();
  readonly #earlier: EarlierEntries;
  #open: Spoken | undefined;

  constructor(earlier: EarlierEntries) {
    this.#earlier = earlier;
  }

  /** Appends a text. */
  say({ type, key, text }: TextEvent): Change {
    const spoken = this.#spoken(key, rolesOfTexts[type]);
    spoken.content.push({ type: 'text', text });
    spoken.length += text.length;
    if (spoken.role === 'user' && spoken.parts > 0) return onlySnapshot;
    return { events: [...this.#begin(spoken), appended(spoken, text)], needsSnapshot: false };
  }

  /** Appends a block that is not text. */
  place({ key, role, block }: ContentEvent): Change {
    const spoken = this.#spoken(key, role);
    spoken.content.push(block);
    const index = spoken.parts++;
    if (role === 'user') return onlySnapshot;
    const metadata = placedPart(index, spoken.length, block);
    return { events: [...this.#begin(spoken), { ...appended(spoken, ''), metadata }], needsSnapshot: false };
  }

  /** Replaces the content of a message. */
  replace(message: MessageEntry): Change {
    this.#known.set(message.key, wholeMessage(message));
    return onlySnapshot;
  }

  /** Whether the message was one of this turn. */
  remove(key: string): boolean {
    this.#earlier.forget(key);
    return this.#known.delete(key);
  }

  /** Ends the message that is open. */
  end(): readonly AGUIEvent[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? endsOf(open) : [];
  }

  /** The messages, after those of earlier turns, which they can continue. */
  after(history: readonly Message[]): readonly Message[] {
    const earlier = history.map((message) => this.#continued(message));
    const ids = new Set(history.map(({ id }) => id));
    const added = [...this.#known.values()].filter(({ key }) => !ids.has(key));
    return [...earlier, ...added.map(spokenMessage)];
  }

  #continued(message: Message): Message {
    const spoken = this.#known.get(message.id);
    if (!spoken) return message;
    const addition = spokenMessage(spoken);
    const isText = typeof message.content === 'string' && typeof addition.content === 'string';
    if (spoken.isWhole || !isText) return addition;
    // Both are messages of one role, with a text.
    return { ...message, content: `${message.content}${addition.content}` } as Message;
  }

  #spoken(key: string, role: Role): Spoken {
    const known = this.#known.get(key);
    if (known) return known;
    const earlier = this.#earlier.find(key, 'message');
    const spoken = earlier
      ? wholeMessage(earlier)
      : { key, role, content: [], length: 0, parts: 0, isWhole: false };
    this.#known.set(key, spoken);
    return spoken;
  }

  #begin(spoken: Spoken): readonly AGUIEvent[] {
    if (this.#open?.key === spoken.key) return [];
    const ends = this.end();
    this.#open = spoken;
    return [...ends, ...beginOf(spoken)];
  }
}

function wholeMessage({ key, role, content }: MessageEntry): Spoken {
  return {
    key,
    role,
    content: [...content],
    length: joinedText(content).length,
    parts: content.filter(({ type }) => type !== 'text').length,
    isWhole: true,
  };
}

function beginOf({ key: messageId, role }: Spoken): readonly AGUIEvent[] {
  if (role === 'user') return [event({ type: 'TEXT_MESSAGE_START', messageId, role })];
  if (role === 'agent') return [event({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' })];
  return [
    event({ type: 'REASONING_START', messageId }),
    event({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }),
  ];
}

function appended({ key: messageId, role }: Spoken, delta: string): AGUIEvent {
  return event({
    type: role === 'thought' ? 'REASONING_MESSAGE_CONTENT' : 'TEXT_MESSAGE_CONTENT',
    messageId,
    delta,
  });
}

function endsOf({ key: messageId, role }: Spoken): readonly AGUIEvent[] {
  if (role !== 'thought') return [event({ type: 'TEXT_MESSAGE_END', messageId })];
  return [event({ type: 'REASONING_MESSAGE_END', messageId }), event({ type: 'REASONING_END', messageId })];
}
