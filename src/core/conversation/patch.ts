import { InvalidParamsError } from '../base/errors.ts';
import { type JsonValue, setOwn, valueAt } from '../base/json.ts';
import type { Conversation } from '../model/conversation.ts';
import { completeEntry } from './entry-defaults.ts';
import { freeze } from './equal.ts';
import { recordGrowth } from './growth.ts';

/** Names of fields and indexes of lists, from the conversation to a value. */
export type PatchPath = readonly (string | number)[];

/**
 * A step of a patch.
 *
 * - `set` sets a field or replaces an item. An empty path sets the conversation.
 * - `unset` removes an optional field, or a terminal.
 * - `append` appends to a text.
 * - `splice` removes and adds items of a list, as `Array.prototype.splice` does.
 * - `output` removes `remove` characters (UTF-16 code units) from the start of a terminal's output, and appends `text`.
 *
 * Entries in a patch do not contain the fields that have their default value, such as `meta: null`.
 */
export type PatchOperation =
  | { readonly op: 'set'; readonly path: PatchPath; readonly value: JsonValue }
  | { readonly op: 'unset'; readonly path: PatchPath }
  | { readonly op: 'append'; readonly path: PatchPath; readonly text: string }
  | {
      readonly op: 'splice';
      readonly path: PatchPath;
      readonly at: number;
      readonly remove: number;
      readonly insert: readonly JsonValue[];
    }
  | {
      readonly op: 'output';
      readonly terminalId: string;
      readonly remove: number;
      readonly text: string;
    };

/**
 * The difference between two states of a conversation, as plain, JSON-safe data. The operations are applied in order.
 * Empty if nothing changed.
 */
export type ConversationPatch = readonly PatchOperation[];

/** A list or an object whose parts are replaced. */
type Container = Record<string | number, unknown>;

/** A conversation while a patch is applied to it. Each container is copied once, before its first change. */
class Target {
  root: unknown;
  readonly #copies = new Set<object>();

  constructor(conversation: Conversation | undefined) {
    this.root = conversation;
  }

  /** Freezes what was copied. */
  finish(): Conversation {
    for (const copy of this.#copies) Object.freeze(copy);
    if (!isContainer(this.root)) throw misfit([]);
    // A patch comes from `diffConversation`. It is checked for its place only.
    return this.root as unknown as Conversation;
  }

  /** The container with the value at a path, which can be written to. */
  holderOf(path: PatchPath): Container {
    return this.containerAt(path.slice(0, -1));
  }

  /** The container at a path, which can be written to. */
  containerAt(path: PatchPath): Container {
    let container = this.#writable(this.root, []);
    this.root = container;
    path.forEach((key, index) => {
      const place = path.slice(0, index + 1);
      const part = this.#writable(own(container, key), place);
      define(container, place, part);
      container = part;
    });
    return container;
  }

  #writable(value: unknown, path: PatchPath): Container {
    if (!isContainer(value)) throw misfit(path);
    if (this.#copies.has(value)) return value;
    // V8 spreads a frozen list several times as fast as it slices it.
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as Container;
    this.#copies.add(copy);
    return copy;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

type Operations = { readonly [K in PatchOperation['op']]: Extract<PatchOperation, { op: K }> };

const appliers: {
  readonly [K in keyof Operations]: (target: Target, operation: Operations[K]) => void;
} = {
  set(target, { path, value }) {
    const isEntry = path.length === 2 && path[0] === 'entries';
    const next = freeze(isEntry ? completeEntry(value) : value);
    if (path.length === 0) target.root = next;
    else define(target.holderOf(path), path, next);
  },
  unset(target, { path }) {
    const holder = target.holderOf(path);
    if (own(holder, lastOf(path)) === undefined) throw misfit(path);
    delete holder[lastOf(path)];
  },
  append(target, { path, text }) {
    const earlier = valueAt(target.root, path.slice(0, -1));
    const holder = target.holderOf(path);
    const before = own(holder, lastOf(path));
    if (typeof before !== 'string') throw misfit(path);
    define(holder, path, before + text);
    if (isContainer(earlier)) recordGrowth(earlier, holder, before.length, text);
  },
  splice(target, { path, at, remove, insert }) {
    const list = target.containerAt(path);
    if (!Array.isArray(list)) throw misfit(path);
    if (at + remove > list.length) throw misfit([...path, at]);
    const items = path.length === 1 && path[0] === 'entries' ? insert.map(completeEntry) : insert;
    // The engine moves what follows many times as fast as a loop, and takes a limited number of arguments.
    list.splice(at, remove);
    for (let start = 0; start < items.length; start += 1000)
      list.splice(at + start, 0, ...items.slice(start, start + 1000).map((item) => freeze(item)));
  },
  output(target, { terminalId, remove, text }) {
    const path = ['terminals', terminalId, 'output'];
    const terminal = target.holderOf(path);
    const before = own(terminal, 'output');
    if (typeof before !== 'string' || remove > before.length) throw misfit(path);
    define(terminal, path, before.slice(remove) + text);
  },
};

/**
 * Applies a patch of `diffConversation` to a conversation that equals the one it starts from.
 *
 * The result is deeply frozen and equals the conversation that the patch leads to. Entries, their blocks, plans,
 * terminals and fields that did not change keep their identity. An empty patch returns `conversation`.
 *
 * @param conversation - `undefined` if there is no earlier state.
 * @throws InvalidParamsError if the patch does not fit, for example because an earlier patch was lost. This cannot
 *   always be detected: use `createConversationMirror`, which checks the order of the patches.
 *
 * @example
 * ```ts
 * const patch = diffConversation(before, after);
 * const same = applyPatch(before, patch); // equals `after`
 * ```
 */
export function applyPatch(conversation: Conversation | undefined, patch: ConversationPatch): Conversation {
  if (conversation !== undefined && patch.length === 0) return conversation;
  const target = new Target(conversation);
  for (const operation of patch) apply(target, operation.op, operation);
  return target.finish();
}

function apply<K extends keyof Operations>(target: Target, op: K, operation: PatchOperation): void {
  if (!Object.hasOwn(appliers, op)) {
    throw new InvalidParamsError(
      `The patch has an operation "${op}" that this version of the library does not know. ` +
        'Use the same version in both processes.',
    );
  }
  // The table is keyed by the tag of the operation.
  appliers[op](target, operation as Operations[K]);
}

function lastOf(path: PatchPath): string | number {
  const last = path.at(-1);
  if (last === undefined) throw misfit(path);
  return last;
}

/** An agent can use `__proto__` as an id. */
function own(container: object, key: string | number): unknown {
  return Object.hasOwn(container, key) ? container[key as never] : undefined;
}

function define(container: Container, path: PatchPath, value: unknown): void {
  const key = lastOf(path);
  if (!Array.isArray(container)) setOwn(container, key, value);
  else if (Object.hasOwn(container, key)) container[key as number] = value;
  else throw misfit(path);
}

function misfit(path: PatchPath): InvalidParamsError {
  const place = path.length === 0 ? 'the conversation' : `"${path.join('/')}"`;
  return new InvalidParamsError(
    `The patch does not fit the conversation: it changes ${place}, which the conversation does not have. ` +
      'Apply every patch, in the order in which the patches were made. If one was lost, send a patch from nothing.',
  );
}
