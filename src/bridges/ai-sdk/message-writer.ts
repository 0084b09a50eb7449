import type { MessageEntry } from '../../model/conversation.ts';
import type { Credit } from '../credit.ts';
import { sizeOf } from '../size-of.ts';
import { chunkId, textPart } from './content-parts.ts';
import type { AcpPart } from './message-type.ts';
import { type AcpChunk, addedPart, changedPart, type GrowingPart, isGrowing } from './part-chunks.ts';

/** Parts of a message that belong together: those of an entry, or of the state of the session. */
export interface Section {
  readonly key: string;
  /** What the parts are made of. As long as these are the same objects, the parts are the same. */
  readonly sources: readonly unknown[];
  parts(): readonly AcpPart[];
}

/** A section as the reader has it. */
interface Slot {
  readonly key: string;
  /** Empty if more came since. */
  sources: readonly unknown[];
  parts: AcpPart[];
}

/**
 * Writes one message: sends the chunks that turn what the reader has into what it is to have.
 *
 * A reader can add parts and let texts grow. What it cannot do, such as to replace a text, needs the whole message
 * again. This waits until the credit covers it, or until the end.
 */
export class MessageWriter {
  readonly #take: (chunk: AcpChunk) => void;
  readonly #credit: Credit;
  #slots: Slot[] = [];
  readonly #slotOf = new Map<string, Slot>();
  /** The texts that can grow: the ids of their chunks, with their section and type. */
  readonly #open = new Map<string, { readonly key: string; readonly type: 'text' | 'reasoning' }>();
  /** The sections whose texts went on after another part began. They stay open. */
  readonly #interleaved = new Set<string>();
  /** Whether the reader has what the message does not have, such as an answered request. */
  #hasTrace = false;
  #needsRestart = false;
  /** What was sent since the message began, and for the last change. */
  #size = 0;
  #changeSize = 0;

  /** @param take - Takes the chunks. */
  constructor(take: (chunk: AcpChunk) => void, credit: Credit) {
    this.#take = take;
    this.#credit = credit;
  }

  /** Whether the credit covers what is likely to be sent next. */
  get isCovered(): boolean {
    return this.#credit.covers(this.#needsRestart ? this.#size : this.#changeSize);
  }

  /** Whether the reader has exactly these sections. */
  has(sections: readonly Section[]): boolean {
    return (
      sections.length === this.#slots.length &&
      sections.every(({ sources }, index) => isSame(this.#slots[index]?.sources ?? [], sources))
    );
  }

  /** Appends to a text that the reader has, or begins one after all others. Returns `false` if that is not possible. */
  append(key: string, role: MessageEntry['role'], text: string): boolean {
    if (this.#needsRestart || text === '') return !this.#needsRestart;
    const slot = this.#slotOf.get(key);
    if (!slot) {
      this.#add(this.#newSlot(key), textPart(key, role, text, 0));
      return true;
    }
    const index = slot.parts.length - 1;
    const part = slot.parts[index];
    const id = chunkId(key, index);
    if (!part || !isGrowing(part) || !this.#open.has(id)) return false;
    slot.sources = [];
    part.text += text;
    this.#take({ type: `${part.type}-delta`, id, delta: text });
    this.#size += text.length;
    return true;
  }

  /** Lets the reader have these sections, in this order, as far as the credit covers it. Returns whether it has them. */
  show(sections: readonly Section[]): boolean {
    this.#changeSize = 0;
    if (!this.#needsRestart && this.#change(sections)) return true;
    this.#needsRestart = true;
    if (!this.isCovered) return false;
    this.#restart(sections);
    return true;
  }

  /** Lets the reader have exactly these sections, and ends the texts. */
  finish(sections: readonly Section[]): void {
    if (this.#needsRestart || !this.#change(sections) || this.#hasTrace) this.#restart(sections);
    this.pause();
  }

  /** Ends the texts. */
  pause(): void {
    this.#interleaved.clear();
    this.#endTexts();
  }

  #change(sections: readonly Section[]): boolean {
    for (const [index, section] of sections.entries()) {
      const slot = this.#slots[index];
      if (!slot) {
        const added = this.#newSlot(section.key);
        added.sources = section.sources;
        for (const part of section.parts()) this.#add(added, part);
      } else if (slot.key !== section.key) return false;
      else if (!isSame(slot.sources, section.sources)) {
        if (!this.#changeSlot(slot, section.parts())) return false;
        slot.sources = section.sources;
      }
    }
    return this.#slots.length === sections.length;
  }

  #changeSlot(slot: Slot, parts: readonly AcpPart[]): boolean {
    for (const [index, after] of parts.entries()) {
      const before = slot.parts[index];
      if (!before) {
        if (slot !== this.#slots.at(-1)) return false;
        this.#add(slot, after);
        continue;
      }
      const chunks =
        isGrowing(before) && isGrowing(after)
          ? this.#grown(slot.key, index, before, after)
          : changedPart(before, after);
      if (!chunks) return false;
      for (const chunk of chunks) this.#send(chunk);
      // A reader keeps an answered request.
      if (chunks.length > 0 && 'approval' in before) this.#hasTrace = true;
      slot.parts[index] = after;
    }
    return parts.length === slot.parts.length;
  }

  #grown(
    key: string,
    index: number,
    before: GrowingPart,
    after: GrowingPart,
  ): readonly AcpChunk[] | undefined {
    if (before.type !== after.type || !after.text.startsWith(before.text)) return undefined;
    const delta = after.text.slice(before.text.length);
    if (delta === '') return [];
    const id = chunkId(key, index);
    if (this.#open.has(id)) return [{ type: `${after.type}-delta`, id, delta }];
    this.#interleaved.add(key);
    return undefined;
  }

  #restart(sections: readonly Section[]): void {
    this.#send({ type: 'reset-step' });
    this.#slots = [];
    this.#slotOf.clear();
    this.#open.clear();
    this.#hasTrace = false;
    this.#needsRestart = false;
    this.#size = 0;
    this.#change(sections);
  }

  #newSlot(key: string): Slot {
    const slot: Slot = { key, sources: [], parts: [] };
    this.#slots.push(slot);
    this.#slotOf.set(key, slot);
    return slot;
  }

  #add(slot: Slot, part: AcpPart): void {
    this.#endTexts();
    const id = chunkId(slot.key, slot.parts.push(part) - 1);
    for (const chunk of addedPart(part, id)) this.#send(chunk);
    if (isGrowing(part)) this.#open.set(id, { key: slot.key, type: part.type });
  }

  /** Ends the texts that do not go on later. */
  #endTexts(): void {
    for (const [id, { key, type }] of this.#open) {
      if (this.#interleaved.has(key)) continue;
      this.#send({ type: `${type}-end`, id });
      this.#open.delete(id);
    }
  }

  #send(chunk: AcpChunk): void {
    const size = sizeOf(chunk);
    this.#credit.spend(size);
    this.#size += size;
    this.#changeSize += size;
    this.#take(chunk);
  }
}

function isSame(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((source, index) => source === after[index]);
}
