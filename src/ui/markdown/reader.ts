import type { MarkdownIt, Token } from 'markdown-it';
import { type Block, isSameBlock, lazyBlock } from './block.ts';
import { CodePieces, piecesOf } from './code.ts';
import { type Container, containerOf } from './container.ts';
import { closesFence, codeLine, type Fence, openFence } from './fence.ts';
import type { MarkdownCode, MarkdownOptions } from './options.ts';
import { codeHtml, languageOf } from './parser.ts';
import { ReferenceIndex, type References } from './references.ts';
import { Segments, splitLines } from './segments.ts';
import {
  itemBeforeLast,
  lastBlock,
  lastItem,
  lineStart,
  lineStarts,
  lines,
  onlyBlock,
  openCode,
  tableHead,
  topLevel,
} from './tokens.ts';

/** A longer block is divided, so that what comes later does not parse all of it again. */
const maxBlock = 4096;

/** A list with bullets is divided at this number of characters. If it cannot be, it is tried again after as many more. */
const listStep = 1024;

/** Deeper lists and quotations are not continued after they were divided. */
const maxContainers = 16;

/**
 * Reads Markdown that grows. A block at the top level is finished when a whole line begins the next one. Then it is not
 * parsed again.
 *
 * Each decision depends on the start of the text only, never on where the text was cut. So the blocks are the same as
 * those of the text that is read at once.
 */
export class MarkdownReader {
  readonly #parser: MarkdownIt;
  readonly #options: MarkdownOptions;
  readonly #references: ReferenceIndex;
  readonly #segments = new Segments();
  readonly #finished: Block[] = [];
  /** What is not finished. It begins with a block. */
  #open = '';
  /** At this number of characters, a part of it is finished. */
  #limit = listStep;
  #isLineStart = true;
  /** The code that has begun. `#open` is empty then. */
  #fence: Fence | null = null;
  #code = new CodePieces();
  /** The lists and quotations that were divided, from the outer to the inner one. */
  #containers: readonly Container[] = [];
  /** The first lines of a divided table, if `#open` begins with them once more. */
  #tableHead = '';
  #blocks: readonly Block[] = [];
  /** This many of them are finished, and were not drawn again since. */
  #sameBlocks = 0;

  constructor(parser: MarkdownIt, options: MarkdownOptions) {
    this.#parser = parser;
    this.#options = options;
    this.#references = new ReferenceIndex(parser);
  }

  /** The blocks of a text that continues the one before. `undefined` if it does not. */
  read(text: string, holder: object): readonly Block[] | undefined {
    if (!this.#segments.continue(text, holder)) return undefined;
    for (let next = this.#segments.next(); next !== undefined; next = this.#segments.next()) {
      // A segment can have more lines than the text: separators of lines become line feeds.
      for (const line of splitLines(next)) this.#read(line);
    }
    this.#finishBlocks();
    const open = this.#drawOpen(this.#segments.rest());
    // What is finished is not compared, and copied only if something is new: a text can have very many blocks.
    const before = this.#blocks.slice(this.#sameBlocks);
    const added = this.#finished.slice(this.#sameBlocks).concat(open);
    const isSame = added.length === before.length && added.every((block, index) => block === before[index]);
    if (!isSame) this.#blocks = this.#finished.concat(open);
    this.#sameBlocks = this.#finished.length;
    return this.#blocks;
  }

  #read(line: string): void {
    if (!this.#isLineStart || this.#containers.length === 0) return this.#take(line);
    const { content, depth } = this.#within(line);
    if (depth < this.#containers.length) {
      this.#containers = this.#containers.slice(0, depth);
      if (this.#fence) this.#finishCode();
      else this.#finish(this.#open.length);
    }
    this.#take(content);
  }

  /** A line without the marks of the containers that it belongs to. */
  #within(line: string): { readonly content: string; readonly depth: number } {
    let content = line;
    let depth = 0;
    for (const container of this.#containers) {
      const within = container.content(content);
      if (within === undefined) break;
      content = within;
      depth++;
    }
    return { content, depth };
  }

  #take(line: string): void {
    const isWhole = this.#isLineStart && line.endsWith('\n');
    if (this.#fence && isWhole && closesFence(line, this.#fence)) return this.#finishCode();
    const isStart = this.#isLineStart;
    this.#isLineStart = line.endsWith('\n');
    if (this.#fence) return this.#code.push(isStart ? codeLine(line, this.#fence) : line);
    // The end of a very long line says whether it begins code. Until then, what is behind the mark would not be shown.
    const fence = isStart && !this.#isLineStart ? openFence(line) : undefined;
    this.#open += fence ? line.replace(fence.mark, `\\${fence.mark}`) : line;
    while (this.#open.length >= this.#limit) if (!this.#finishBlocks()) this.#shorten();
  }

  /**
   * Divides the block that is open, if it is a list or too long. The limit grows by one step at a time: so the blocks before
   * a list are finished when the list has one step, wherever the text was cut.
   */
  #shorten(): void {
    const source = this.#open;
    const tokens = this.#tokensOf(source, this.#references.layer());
    const item = itemBeforeLast(tokens, source);
    if (item > 0) this.#finish(item);
    else if (this.#limit >= maxBlock) this.#divide(source, tokens);
    else this.#limit += listStep;
  }

  /** Finishes all blocks but the last one. Returns whether there were some. */
  #finishBlocks(): boolean {
    const whole = this.#open.slice(0, this.#open.lastIndexOf('\n') + 1);
    const references = this.#references.layer();
    const tokens = this.#tokensOf(whole, references);
    const last = lastBlock(tokens);
    if (last === undefined) return false;
    const start = lineStart(whole, last.line);
    // A definition in the last block must not count yet. Without one, the blocks before it are parsed already.
    const isDefining = Object.keys(references).length > 0;
    if (start > 0 && !isDefining) this.#finishAs(tokens.slice(0, last.token), start, references);
    else if (start > 0) this.#finish(start);
    const fence = last.type === 'fence' ? openFence(lines(this.#open, [0, 1])) : undefined;
    if (fence) this.#beginCode(fence);
    return start > 0 || fence !== undefined;
  }

  /** Cuts a block that is too long. */
  #divide(source: string, tokens: readonly Token[]): void {
    const item = lastItem(tokens, source);
    const head = tableHead(tokens, source);
    this.#finish(item > 0 ? item : source.length);
    if (item > 0) return;
    this.#open = head;
    this.#tableHead = head;
    const block = onlyBlock(tokens);
    const isContainer = block?.type.endsWith('_list_open') || block?.type === 'blockquote_open';
    if (!isContainer || !block?.map || this.#containers.length >= maxContainers) return;
    const container = containerOf(lines(source, [block.map[0], block.map[0] + 1]));
    if (!container) return;
    this.#containers = [...this.#containers, container];
    this.#fence = openCode(tokens, source, container) ?? null;
  }

  /** Finishes the blocks before a place in what is open. */
  #finish(end: number): void {
    const references = this.#references.layer();
    this.#finishAs(this.#tokensOf(this.#open.slice(0, end), references), end, references);
  }

  #finishAs(tokens: readonly Token[], end: number, references: References): void {
    const drawn = this.#draw(tokens, this.#open.slice(0, end), references, this.#renderSource);
    this.#open = this.#open.slice(end);
    this.#limit = listStep;
    this.#tableHead = '';
    for (const { key, source } of this.#references.keep(references)) {
      const index = Number(key);
      const own = this.#references.ofBlock(source, this.#references.layer());
      const render = this.#renderSource(source, [], own);
      this.#finished[index] = lazyBlock({ key, code: null, source }, render);
      this.#sameBlocks = Math.min(this.#sameBlocks, index);
    }
    for (const block of drawn) {
      this.#finished.push(block);
      this.#references.addUse(block);
    }
  }

  #beginCode(fence: Fence): void {
    const [, ...rest] = splitLines(this.#open);
    this.#fence = fence;
    this.#open = '';
    this.#isLineStart = true;
    for (const line of rest) this.#take(line);
  }

  #finishCode(): void {
    this.#finished.push(this.#openCode(''));
    this.#fence = null;
    this.#code = new CodePieces();
    this.#isLineStart = true;
  }

  /** The code that has begun. */
  #openCode(rest: string): Block {
    const code = { language: this.#fence?.language ?? '', pieces: this.#code.with(rest) };
    return this.#codeBlock(`${this.#finished.length}`, code);
  }

  /** The HTML is that of all pieces. */
  #codeBlock(key: string, code: MarkdownCode): Block {
    const render = () => codeHtml(code.language, code.pieces.join(''), this.#options);
    return this.#known(lazyBlock({ key, code, source: '' }, render));
  }

  /** What is open, with a line that has not ended. */
  #drawOpen(rest: string): readonly Block[] {
    const isStart = this.#isLineStart;
    const { content, depth } = rest !== '' && isStart ? this.#within(rest) : { content: rest, depth: 0 };
    if (!this.#fence) {
      const source = this.#open + content;
      const references = this.#references.layer();
      const tokens = this.#tokensOf(source, references);
      return this.#draw(tokens, source, references, this.#renderTokens);
    }
    // A line after the code is shown when it has ended.
    const isAfter = isStart && rest !== '' && depth < this.#containers.length;
    if (isAfter || (isStart && closesFence(content, this.#fence))) return [this.#openCode('')];
    return [this.#openCode(isStart ? codeLine(content, this.#fence) : content)];
  }

  /** The block that had the same place before, if it is equal. */
  #known(block: Block): Block {
    const before = this.#blocks[Number(block.key)];
    return before && isSameBlock(before, block) ? before : block;
  }

  #draw(tokens: readonly Token[], source: string, references: References, render: Render): readonly Block[] {
    const first = this.#finished.length;
    const starts = lineStarts(source);
    return topLevel(tokens).map((own, index) => {
      const [from = 0, to = 0] = own[0]?.map ?? [];
      const key = `${first + index}`;
      if (own[0]?.type === 'fence') {
        const { info, content } = own[0];
        return this.#codeBlock(key, { language: languageOf(info), pieces: piecesOf(content) });
      }
      const part = this.#isHeadOnly(own, key) ? '' : source.slice(starts[from], starts[to]);
      const known = this.#references.ofBlock(part, references);
      const html = part === '' ? () => '' : render(part, own, known);
      return this.#known(lazyBlock({ key, code: null, source: part }, html));
    });
  }

  /** Whether a block is the head of a divided table, once more, and nothing else. */
  #isHeadOnly(tokens: readonly Token[], key: string): boolean {
    const isRepeated = this.#tableHead !== '' && key === `${this.#finished.length}`;
    return isRepeated && !tokens.some(({ type }) => type === 'tbody_open');
  }

  /** Parses the block again: the tokens of a long text take many times its memory. */
  readonly #renderSource: Render = (source, _tokens, references) => () =>
    this.#parser.render(source, { references });

  readonly #renderTokens: Render = (_source, tokens, references) => () => {
    const parser = this.#parser;
    // Nothing is parsed: the blocks are there, and only what is in them is read.
    const state = new parser.core.State('', parser, { references });
    state.tokens = [...tokens];
    parser.core.process(state);
    return parser.renderer.render(state.tokens, parser.options, state.env);
  };

  #tokensOf(source: string, references: References): readonly Token[] {
    const tokens: Token[] = [];
    this.#parser.block.parse(source, this.#parser, { references }, tokens);
    return tokens;
  }
}

/** How the HTML of a block is made later. */
type Render = (source: string, tokens: readonly Token[], references: References) => () => string;
