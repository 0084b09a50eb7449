import type { MessageEntry } from '../../core/model/conversation.ts';
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

export type MessageWriter = ReturnType<typeof messageWriter>;

/**
 * Begins a message: sends the chunks that turn what the reader has into what it is to have.
 *
 * A reader can add parts and let texts grow. What it cannot do, such as to replace a text, needs the whole message
 * again.
 *
 * @param send - Takes the chunks.
 */
export function messageWriter(send: (chunk: AcpChunk) => void) {
  const slots: Slot[] = [];
  /** The same by their keys: to look through a list of all of them for each new text would be quadratic. */
  const byKey = new Map<string, Slot>();
  /** The texts that can grow: the ids of their chunks, with their section and type. */
  const open = new Map<string, { readonly key: string; readonly type: 'text' | 'reasoning' }>();
  /** The sections whose texts went on after another part began. They stay open. */
  const interleaved = new Set<string>();
  /** Whether the reader has what the message does not have, such as an answered request. */
  let hasTrace = false;

  /** Ends the texts that do not go on later. */
  const endTexts = () => {
    for (const [id, { key, type }] of open) {
      if (interleaved.has(key)) continue;
      send({ type: `${type}-end`, id });
      open.delete(id);
    }
  };

  const newSlot = (key: string): Slot => {
    const slot: Slot = { key, sources: [], parts: [] };
    slots.push(slot);
    byKey.set(key, slot);
    return slot;
  };

  const add = ({ key, parts }: Slot, part: AcpPart): true => {
    endTexts();
    const id = chunkId(key, parts.push(part) - 1);
    addedPart(part, id).forEach(send);
    if (isGrowing(part)) open.set(id, { key, type: part.type });
    return true;
  };

  const grown = (
    key: string,
    index: number,
    before: GrowingPart,
    after: GrowingPart,
  ): readonly AcpChunk[] | undefined => {
    if (before.type !== after.type || !after.text.startsWith(before.text)) return undefined;
    const delta = after.text.slice(before.text.length);
    if (delta === '') return [];
    const id = chunkId(key, index);
    if (open.has(id)) return [{ type: `${after.type}-delta`, id, delta }];
    interleaved.add(key);
    return undefined;
  };

  const changeSlot = (slot: Slot, parts: readonly AcpPart[]): boolean => {
    for (const [index, after] of parts.entries()) {
      const before = slot.parts[index];
      if (!before) {
        if (slot !== slots.at(-1)) return false;
        add(slot, after);
        continue;
      }
      const chunks =
        isGrowing(before) && isGrowing(after)
          ? grown(slot.key, index, before, after)
          : changedPart(before, after);
      if (!chunks) return false;
      chunks.forEach(send);
      // A reader keeps an answered request.
      if (chunks.length > 0 && 'approval' in before) hasTrace = true;
      slot.parts[index] = after;
    }
    return parts.length === slot.parts.length;
  };

  const change = (sections: readonly Section[]): boolean => {
    for (const [index, section] of sections.entries()) {
      const slot = slots[index] ?? newSlot(section.key);
      if (slot.key !== section.key) return false;
      if (isSame(slot.sources, section.sources)) continue;
      if (!changeSlot(slot, section.parts())) return false;
      slot.sources = section.sources;
    }
    return slots.length === sections.length;
  };

  const restart = (sections: readonly Section[]) => {
    send({ type: 'reset-step' });
    slots.length = 0;
    byKey.clear();
    open.clear();
    hasTrace = false;
    change(sections);
  };

  return {
    /** Whether the reader has exactly these sections. */
    has: (sections: readonly Section[]): boolean =>
      sections.length === slots.length &&
      sections.every(({ sources }, index) => isSame(slots[index]?.sources, sources)),

    /** Appends to a text that the reader has, or begins one after all others. Returns `false` if that is not possible. */
    append(key: string, role: MessageEntry['role'], text: string): boolean {
      if (text === '') return true;
      const slot = byKey.get(key);
      if (!slot) return add(newSlot(key), textPart(key, role, text, 0));
      const index = slot.parts.length - 1;
      const part = slot.parts[index];
      const id = chunkId(key, index);
      if (!part || !isGrowing(part) || !open.has(id)) return false;
      slot.sources = [];
      part.text += text;
      send({ type: `${part.type}-delta`, id, delta: text });
      return true;
    },

    /** Lets the reader have these sections, in this order. */
    show(sections: readonly Section[]): void {
      if (!change(sections)) restart(sections);
    },

    /** Lets the reader have exactly these sections, and ends the texts. */
    finish(sections: readonly Section[]): void {
      if (!change(sections) || hasTrace) restart(sections);
      interleaved.clear();
      endTexts();
    },
  };
}

function isSame(before: readonly unknown[] | undefined, after: readonly unknown[]): boolean {
  return before?.length === after.length && before.every((source, index) => source === after[index]);
}
