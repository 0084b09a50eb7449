import { isJsonObject } from '../base/json.ts';
import type { FileChange, ToolCallDiff } from '../model/tool-call.ts';
import { clean } from './clean.ts';
import { type DiffLine, type PatchSection, patchSections } from './patch-sections.ts';
import { changedLines } from './unified-diff.ts';

/** What changed in one file, see {@link diffLines}. */
export interface FileDiff {
  readonly operation: FileChange['operation'];
  /** The path as the agent sent it. Pass it through `plainText` before you show it. */
  readonly path: string;
  /** Path of the file before a `move` or a `copy`. `null` for other operations. */
  readonly oldPath: string | null;
  /** The hunks, each with its position before it. Empty if the agent sent no text. */
  readonly lines: readonly DiffLine[];
}

const known = new WeakMap<ToolCallDiff, readonly FileDiff[]>();

/**
 * The lines of a diff, file by file, in the order of its `changes`. Version 1 of the protocol has the texts before and
 * after, and version 2 has a patch: the result has the same form.
 *
 * The lines of version 1 are the shortest diff, with three lines of context. For a change of more than 500 lines, or within
 * more than 20,000 lines, the diff is found by the lines that occur once in both texts, and can be longer. Line numbers
 * count from the start of what the agent sent, which can be an excerpt of the file. Returns the same list for the same
 * object.
 *
 * @example
 * ```ts
 * const signs = { same: ' ', added: '+', removed: '-', position: '', note: '' };
 * for (const { path, lines } of diffLines(diff)) {
 *   console.log(plainText(path));
 *   for (const { change, text } of lines) console.log(signs[change] + text);
 * }
 * ```
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls
 */
export function diffLines(diff: ToolCallDiff): readonly FileDiff[] {
  const files = known.get(diff) ?? Object.freeze(filesOf(diff));
  known.set(diff, files);
  return files;
}

function filesOf({ changes: sent, patch }: ToolCallDiff): readonly FileDiff[] {
  // A conversation that was read from a file can have anything here.
  const changes = sent.filter(isJsonObject);
  const sections = patch ? patchSections(clean(patch.text)) : [];
  const sectionOf = assign(sections, changes);
  const files = changes.map((change, index): FileDiff => {
    const { operation, path, oldPath = null, oldText, newText } = change;
    const lines = newText == null ? [] : changedLines(clean(oldText), clean(newText));
    const ofPatch = (sectionOf.get(index) ?? []).flatMap((section) => section.lines);
    return { operation, path, oldPath, lines: ofPatch.length === 0 ? lines : [...lines, ...ofPatch] };
  });
  const rest = sectionOf.get(undefined) ?? [];
  return [...files, ...rest.map(({ path, lines }) => ({ operation: 'modify', path, oldPath: null, lines }))];
}

/** The sections of a patch by the index of their change. Those of no change are under `undefined`. */
function assign(
  sections: readonly PatchSection[],
  changes: readonly FileChange[],
): ReadonlyMap<number | undefined, readonly PatchSection[]> {
  const assigned = new Map<number | undefined, PatchSection[]>();
  const indexes = new Map<string, number>();
  changes.forEach(({ path }, index) => {
    for (const name of endsOf(path)) if (!indexes.has(name)) indexes.set(name, index);
  });
  sections.forEach((section, place) => {
    const byPath = changes.length === 1 ? 0 : indexes.get(section.path);
    // A patch can name its files in another way. As many sections as changes are in the same order.
    const index = byPath ?? (sections.length === changes.length ? place : undefined);
    assigned.set(index, [...(assigned.get(index) ?? []), section]);
  });
  return assigned;
}

/** Deeper folders are not compared. */
const maxFolders = 64;

/** A path, and what is left of it without its first folders: a patch names files from the root of a repository. */
function endsOf(path: string): readonly string[] {
  const parts = clean(path).split(/[\\/]/);
  return parts.slice(0, maxFolders).map((_, index) => parts.slice(index).join('/'));
}
