/** A line of a diff, see `diffLines`. */
export interface DiffLine {
  /**
   * `same`, `added` and `removed` are lines of the file. `position` is the header of a hunk, such as `@@ -1,4 +1,5 @@`.
   * `note` is another line of the patch, such as `\ No newline at end of file`.
   */
  readonly change: 'same' | 'added' | 'removed' | 'position' | 'note';
  /** The text of the line, without `+` or `-` before it. Without escape sequences, see `plainText`. */
  readonly text: string;
  /** Number of the line in the old text, from 1. `null` if the line is not in it, or its number is not known. */
  readonly oldLine: number | null;
  /** Number of the line in the new text, from 1. `null` if the line is not in it, or its number is not known. */
  readonly newLine: number | null;
}

/** What a line begins with in a unified diff, its class in HTML, and its color in a terminal. */
export const looks = {
  same: { sign: ' ', className: '', sgr: '' },
  added: { sign: '+', className: 'add', sgr: ';32' },
  removed: { sign: '-', className: 'del', sgr: ';31' },
  position: { sign: '', className: 'hunk', sgr: ';36' },
  note: { sign: '', className: '', sgr: '' },
} satisfies Record<DiffLine['change'], object>;

/** What a patch says about one file. */
export interface PatchSection {
  /** As the patch names the file: usually from the root of the repository. Empty if it does not. */
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

/** Starts of a hunk: where it begins and how many lines it has, in the old and in the new file. */
const hunk = /^@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@/;

/** A line in the header of a file that names the file, the last of which counts. */
const name = /^(?:diff --git .* "?b\/|\+\+\+ "?(?:b\/)?|rename to )([^\t"]+)/;

/** The header of a file that the patch deletes names it before the change only. */
const oldName = /^--- "?(?:a\/)?([^\t"]+)/;

/** The other lines in the header of a file. */
const header = /^(?:index|new file|deleted file|similarity|dissimilarity|rename|copy) /;

/** Reads a unified diff of one file or more, as `git diff` writes it. Reads any text: what is no diff becomes notes. */
export function patchSections(patch: string): readonly PatchSection[] {
  const reader = new PatchReader();
  if (patch !== '') {
    const lines = patch.replace(/\n$/, '').split('\n');
    lines.forEach((line, index) => {
      reader.read(line, lines[index + 1]);
    });
  }
  return reader.sections;
}

/** One file of a hunk: its next line, and how many lines of it the hunk still has. */
interface Side {
  /** `null` if the hunk does not say where it is. */
  line: number | null;
  left: number;
}

function sideOf(start?: string, count = '1'): Side {
  return start === undefined ? { line: null, left: 0 } : { line: Number(start), left: Number(count) };
}

/** The number of the next line, which is taken. */
function take(side: Side): number | null {
  side.left--;
  return side.line === null ? null : side.line++;
}

class PatchReader {
  readonly sections: { path: string; readonly lines: DiffLine[] }[] = [];
  #old = sideOf();
  #new = sideOf();
  /** Whether lines are those of a hunk. */
  #inHunk = false;

  read(line: string, next: string | undefined): void {
    const isWithin = this.#inHunk && this.#old.left > 0;
    if (line.startsWith('@@')) this.#startHunk(line);
    else if (line.startsWith('diff --git ')) this.#startFile(line);
    else if (!isWithin && line.startsWith('--- ') && next?.startsWith('+++ ')) this.#nameOld(line);
    else if (this.#inHunk) this.#readLine(line);
    else if (name.test(line)) this.#nameFile(line);
    else if (!header.test(line)) this.#add('note', line);
  }

  #startFile(line: string): void {
    this.sections.push({ path: '', lines: [] });
    this.#inHunk = false;
    this.#nameFile(line);
  }

  #nameOld(line: string): void {
    if (this.#current().lines.length > 0) this.#startFile(line);
    this.#inHunk = false;
    this.#current().path = oldName.exec(line)?.[1] ?? '';
  }

  #nameFile(line: string): void {
    const path = name.exec(line)?.[1];
    if (path !== undefined && path !== '/dev/null') this.#current().path = path;
  }

  #startHunk(line: string): void {
    const [, oldStart, oldCount, newStart, newCount] = hunk.exec(line) ?? [];
    this.#inHunk = true;
    this.#old = sideOf(oldStart, oldCount);
    this.#new = sideOf(newStart, newCount);
    this.#add('position', line);
  }

  #readLine(line: string): void {
    const mark = line.charAt(0);
    const text = line.slice(1);
    if (mark === '\\') this.#add('note', line);
    else if (mark === '+') this.#add('added', text, null, take(this.#new));
    else if (mark === '-') this.#add('removed', text, take(this.#old), null);
    else this.#add('same', text, take(this.#old), take(this.#new));
  }

  #add(
    change: DiffLine['change'],
    text: string,
    oldLine: number | null = null,
    newLine: number | null = null,
  ): void {
    this.#current().lines.push({ change, text, oldLine, newLine });
  }

  #current() {
    const section = this.sections.at(-1) ?? { path: '', lines: [] };
    if (this.sections.length === 0) this.sections.push(section);
    return section;
  }
}
