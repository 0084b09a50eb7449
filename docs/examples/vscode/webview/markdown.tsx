import { type MarkdownBlock, type MarkdownCode, markdownBlocks } from 'acp-client-sdk/markdown';
import { createContext, memo, useContext, useLayoutEffect, useMemo, useReducer, useRef } from 'react';
import { showHtml } from './show-html.ts';

/** The buttons above each block of code, by name. The transcript handles their clicks. */
export const CodeButtons = createContext<Readonly<Record<string, string>>>({ copy: 'Copy' });

/** So many blocks are one element, which is skipped as a whole when they are as before. */
const groupSize = 32;

/** So many characters are added in a frame. With more, a key press would wait for a text that comes fast. */
const maxAdded = 16_384;

/**
 * Text of an agent, drawn as Markdown. While it grows, only its last block is drawn again. The HTML is safe: see
 * `markdownBlocks`.
 */
export function Markdown({ text }: { readonly text: string }) {
  const codeButtons = useContext(CodeButtons);
  const blocksOf = useMemo(() => markdownBlocks({ links: 'webAndFiles', codeButtons }), [codeButtons]);
  const groups = useRef<readonly (readonly MarkdownBlock[])[]>([]);
  const shown = useShown(text.length);
  groups.current = grouped(blocksOf(text.slice(0, shown)), groups.current);
  return (
    <div className="markdown">
      {groups.current.map((blocks, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are added at the end
        <Group key={index} blocks={blocks} />
      ))}
    </div>
  );
}

/** How much of a text is shown. Each frame adds some, until all is. */
function useShown(length: number): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const before = useRef(0);
  const shown = Math.min(length, before.current + maxAdded);
  useLayoutEffect(() => {
    before.current = shown;
    if (shown === length) return undefined;
    const frame = requestAnimationFrame(redraw);
    return () => cancelAnimationFrame(frame);
  });
  return shown;
}

/** The blocks in groups. A group that is as before is the same list. */
function grouped(
  blocks: readonly MarkdownBlock[],
  before: readonly (readonly MarkdownBlock[])[],
): readonly (readonly MarkdownBlock[])[] {
  return Array.from({ length: Math.ceil(blocks.length / groupSize) }, (_, index) => {
    const start = index * groupSize;
    const size = Math.min(groupSize, blocks.length - start);
    const known = before[index];
    if (known?.length === size && known.every((block, place) => block === blocks[start + place]))
      return known;
    return blocks.slice(start, start + size);
  });
}

const Group = memo(function Group({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) {
  return (
    <div className="blocks">
      {blocks.map((block) => (
        <Block key={block.key} block={block} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ block }: { readonly block: MarkdownBlock }) {
  if (block.code) return <Code code={block.code} />;
  return <Html html={block.html} />;
});

function Html({ html }: { readonly html: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (place.current) showHtml(place.current, html);
  }, [html]);
  return <div ref={place} />;
}

/** The same elements as in the HTML of the block. Only the last piece of code grows. */
function Code({ code: { language, pieces } }: { readonly code: MarkdownCode }) {
  const codeButtons = useContext(CodeButtons);
  return (
    <div className="code" dir="ltr">
      <div>
        <span>{language}</span>
        {Object.entries(codeButtons).map(([name, label]) => (
          <button key={name} type="button" data-code-button={name}>
            {label}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {pieces.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are added at the end
          <Piece key={index} text={text} />
        ))}
      </pre>
    </div>
  );
}

const Piece = memo(function Piece({ text }: { readonly text: string }) {
  return <code>{text}</code>;
});
