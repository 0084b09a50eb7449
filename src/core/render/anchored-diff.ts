/** Lines of two texts that differ, between lines that are the same. The ends are not included. */
export interface LineChange {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** The changes between two texts, of which some lines are known to be the same. So are equal lines next to them. */
export function changesBetween(
  anchors: readonly Anchor[],
  oldLines: readonly string[],
  newLines: readonly string[],
): readonly LineChange[] {
  const changes: LineChange[] = [];
  let oldStart = 0;
  let newStart = 0;
  const end = { oldIndex: oldLines.length, newIndex: newLines.length };
  for (const { oldIndex, newIndex } of [...anchors, end]) {
    let oldEnd = oldIndex;
    let newEnd = newIndex;
    while (oldStart < oldEnd && newStart < newEnd && oldLines[oldStart] === newLines[newStart]) {
      oldStart++;
      newStart++;
    }
    while (oldEnd > oldStart && newEnd > newStart && oldLines[oldEnd - 1] === newLines[newEnd - 1]) {
      oldEnd--;
      newEnd--;
    }
    if (oldEnd > oldStart || newEnd > newStart) changes.push({ oldStart, oldEnd, newStart, newEnd });
    oldStart = oldIndex + 1;
    newStart = newIndex + 1;
  }
  return changes;
}

/** Where a line is in both texts. */
export interface Anchor {
  readonly oldIndex: number;
  readonly newIndex: number;
}

const none = -1;
const several = -2;

/**
 * The lines that occur once in each text, in the same order, which are taken to be the same line. The result can be longer
 * than the shortest diff. The time grows as that of sorting the lines.
 */
export function commonUniqueLines(
  oldLines: readonly string[],
  newLines: readonly string[],
): readonly Anchor[] {
  const oldIndexes = new Map<string, number>();
  oldLines.forEach((line, index) => {
    oldIndexes.set(line, oldIndexes.has(line) ? several : index);
  });
  // By the index in the old text: a line that is not in it need not be kept.
  const newIndexes = new Int32Array(oldLines.length).fill(none);
  newLines.forEach((line, newIndex) => {
    const oldIndex = oldIndexes.get(line) ?? none;
    if (oldIndex >= 0) newIndexes[oldIndex] = newIndexes[oldIndex] === none ? newIndex : several;
  });
  const anchors: Anchor[] = [];
  newIndexes.forEach((newIndex, oldIndex) => {
    if (newIndex >= 0) anchors.push({ oldIndex, newIndex });
  });
  return inOrder(anchors);
}

/** A node of a chain of anchors that are in the same order in both texts. */
interface Chain {
  readonly anchor: Anchor;
  readonly before: Chain | undefined;
}

/** The longest list of anchors that are in the same order in both texts. */
function inOrder(anchors: readonly Anchor[]): readonly Anchor[] {
  /** By length less one: of the chains of this length, the one that ends first in the new text. */
  const chains: Chain[] = [];
  for (const anchor of anchors) {
    let low = 0;
    let high = chains.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((chains[middle]?.anchor.newIndex ?? 0) < anchor.newIndex) low = middle + 1;
      else high = middle;
    }
    chains[low] = { anchor, before: chains[low - 1] };
  }
  const longest: Anchor[] = [];
  for (let chain = chains.at(-1); chain; chain = chain.before) longest.push(chain.anchor);
  return longest.reverse();
}
