import { markdownBlocks } from '../../markdown/markdown.ts';
import type { MarkdownBlock, MarkdownCode, MarkdownOptions } from '../../markdown/options.ts';
import { codeHtml } from '../../markdown/parser.ts';
import { CodeColors } from './code-colors.ts';
import { LateParts } from './late-parts.ts';
import { showHtml } from './show-html.ts';

/**
 * So many blocks are one element, which the browser skips as a whole when it is out of view. It has fewer blocks if they
 * have many elements, as those of a long list: each frame goes through all elements of the groups in view.
 */
const groupSize = 32;
const groupElements = 512;

/** So many groups are a section. When it is out of view, the browser does not look at each of its groups. */
const sectionSize = 16;

/** So many characters are read in a task, and so many of HTML are drawn. With more, a key press would wait for them. */
const readAtOnce = 65_536;
const drawnAtOnce = 4096;

/** A block that is drawn, or waits for it. */
interface Shown {
  readonly block: MarkdownBlock;
  readonly element: HTMLElement;
  /** If the block is code: the elements of its pieces. */
  readonly pieces: HTMLElement[];
}

/** A block that is not code, or a piece of code. */
interface Part {
  readonly element: Element;
  /** What is observed, to learn that the part comes near the view. */
  readonly place: Element;
  /** Returns how many characters it has drawn. */
  readonly draw: () => number;
}

/**
 * Draws the Markdown of a message that grows. Only what is new is drawn: its end at once, and the rest later if it is
 * much. The HTML is safe, see `markdownBlocks`.
 */
export class MarkdownView {
  readonly #root: HTMLElement;
  readonly #options: MarkdownOptions;
  readonly #blocksOf: ReturnType<typeof markdownBlocks>;
  readonly #late: LateParts;
  readonly #colors: CodeColors;
  readonly #shown: Shown[] = [];
  /** How much of the text was read. */
  #read = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, options: MarkdownOptions) {
    this.#root = root;
    this.#options = options;
    this.#blocksOf = markdownBlocks(options);
    this.#late = new LateParts(root.closest('main'));
    this.#colors = new CodeColors(root);
    root.replaceChildren();
  }

  /** @param holder - The block of content that has the text. */
  show(text: string, holder: object): void {
    clearTimeout(this.#timer);
    this.#read = Math.min(text.length, this.#read + readAtOnce);
    // Only the end of the text is drawn at once.
    if (this.#read === text.length) return this.#draw(this.#blocksOf(text, holder), drawnAtOnce);
    this.#draw(this.#blocksOf(text.slice(0, this.#read)), 0);
    this.#timer = setTimeout(() => this.show(text, holder), 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#late.stop();
    this.#colors.stop();
  }

  #draw(blocks: readonly MarkdownBlock[], atOnce: number): void {
    const parts: Part[] = [];
    for (const [index, block] of blocks.entries()) {
      if (block !== this.#shown[index]?.block) parts.push(...this.#place(block, index));
    }
    for (const gone of this.#shown.splice(blocks.length)) this.#remove(gone);
    let drawn = 0;
    for (const { element, place, draw } of parts.reverse()) {
      const drawPart = () => {
        const length = draw();
        this.#colors.drawn(element);
        return length;
      };
      this.#late.remove(element);
      if (drawn < atOnce) drawn += drawPart();
      else this.#late.add(element, place, drawPart);
    }
    this.#late.postpone();
  }

  /** Makes the elements of a block. Returns its parts that are new. */
  #place(block: MarkdownBlock, index: number): readonly Part[] {
    const before = this.#shown[index];
    const isSameKind = before?.block.code?.language === block.code?.language;
    const shown = before && isSameKind ? { ...before, block } : this.#add(block, index);
    this.#shown[index] = shown;
    const { element } = shown;
    if (block.code) return codeParts(shown, block.code, (isSameKind && before?.block.code?.pieces) || []);
    return [{ element, place: element.parentElement ?? element, draw: () => showHtml(element, block.html) }];
  }

  /** Adds an element for a block, in the place of the one that was there. */
  #add(block: MarkdownBlock, index: number): Shown {
    const element = document.createElement('div');
    const before = this.#shown[index];
    if (before) {
      before.element.before(element);
      this.#remove(before);
    } else this.#lastGroup().append(element);
    // The elements of a block of code, without the code.
    if (block.code) element.innerHTML = codeHtml(block.code.language, '', this.#options);
    element.querySelector('pre')?.replaceChildren();
    return { block, element, pieces: [] };
  }

  #remove({ element, pieces }: Shown): void {
    for (const part of [element, ...pieces]) this.#late.remove(part);
    const group = element.parentElement;
    const section = group?.parentElement;
    element.remove();
    if (group?.childElementCount === 0) group.remove();
    if (section?.childElementCount === 0) section.remove();
  }

  /** The group for one more block. */
  #lastGroup(): Element {
    const section = this.#root.lastElementChild;
    const last = section?.lastElementChild;
    if (last && last.childElementCount < groupSize && last.getElementsByTagName('*').length < groupElements)
      return last;
    this.#root.classList.toggle('long', section !== null);
    const isWhole = section !== null && section.childElementCount >= sectionSize;
    if (isWhole) section.classList.add('whole');
    return appendDiv(isWhole || !section ? appendDiv(this.#root, 'section') : section, 'blocks');
  }
}

function appendDiv(parent: Element, className: string): Element {
  const element = document.createElement('div');
  element.className = className;
  return parent.appendChild(element);
}

/** The pieces of code that are new. */
function codeParts(
  { element, pieces }: Shown,
  code: MarkdownCode,
  before: readonly string[],
): readonly Part[] {
  for (const gone of pieces.splice(code.pieces.length)) gone.remove();
  // Short code comes near the view with its group.
  const group = code.pieces.length === 1 ? element.parentElement : null;
  return code.pieces.flatMap((text, index) => {
    if (text === before[index]) return [];
    const piece = pieces[index] ?? document.createElement('code');
    if (!pieces[index]) element.querySelector('pre')?.append(piece);
    pieces[index] = piece;
    return { element: piece, place: group ?? piece, draw: () => showText(piece, text) };
  });
}

/** Shows a text in an element. What is the same at its start stays: its colors, and a selection in it. */
function showText(element: Element, text: string): number {
  const { textContent: shown, lastChild } = element;
  const added = text.slice(shown.length);
  if (!lastChild || !text.startsWith(shown)) element.textContent = text;
  else if (lastChild instanceof Text) lastChild.appendData(added);
  else element.append(added);
  return text.length;
}
