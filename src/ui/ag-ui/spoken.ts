import type { AGUIEvent, Message } from '@ag-ui/client';
import { type ContentBlock, joinedText } from '../../core/model/content.ts';
import type { MessageEntry } from '../../core/model/conversation.ts';
import type { ContentEvent, TextEvent } from '../../core/model/event.ts';
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

/** A message as the reader has it. */
interface Spoken {
  readonly key: string;
  readonly role: Role;
  readonly content: ContentBlock[];
  /** How many characters its texts have. */
  length: number;
  /** How many of its blocks are not text. */
  parts: number;
}

/** The messages of the turn that consist of words. One of them is open at a time. */
export class SpokenMessages {
  readonly #known = new Map<string, Spoken>();
  readonly #earlier: Map<string, readonly ContentBlock[]>;
  #open: Spoken | undefined;

  /** @param earlier - The content of the messages before the turn, by their keys. A turn can continue one of them. */
  constructor(earlier: ReadonlyMap<string, readonly ContentBlock[]>) {
    this.#earlier = new Map(earlier);
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
  replace({ key, role, content }: MessageEntry): Change {
    this.#known.set(key, spokenOf(key, role, content));
    return onlySnapshot;
  }

  /** Whether the message was one of this turn. */
  remove(key: string): boolean {
    this.#earlier.delete(key);
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
    const said = new Map(Array.from(this.#known, ([key, spoken]) => [key, spokenMessage(spoken)]));
    const messages = new Map(history.map((message) => [message.id, message]));
    return [...new Map([...messages, ...said]).values()];
  }

  #spoken(key: string, role: Role): Spoken {
    const known = this.#known.get(key);
    if (known) return known;
    const spoken = spokenOf(key, role, this.#earlier.get(key) ?? []);
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

function spokenOf(key: string, role: Role, content: readonly ContentBlock[]): Spoken {
  return {
    key,
    role,
    content: [...content],
    length: joinedText(content).length,
    parts: content.filter(({ type }) => type !== 'text').length,
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
