import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../events.ts';
import { MarkdownView } from './markdown-view.ts';

/** The buttons above each block of code, by name. The transcript handles their clicks. */
export const CodeButtons = createContext<Readonly<Record<string, string>>>({ copy: 'Copy' });

/** Text of an agent, drawn as Markdown. Preact makes its element only: the text can be long, and grow often. */
export function Markdown({ block }: { readonly block: { readonly text: string } }) {
  const links = useAction('openLocation') ? 'webAndFiles' : 'web';
  const codeButtons = useContext(CodeButtons);
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView>(null);
  useLayoutEffect(() => {
    if (!place.current) return undefined;
    const made = new MarkdownView(place.current, { links, codeButtons });
    view.current = made;
    return () => made.stop();
  }, [links, codeButtons]);
  useLayoutEffect(() => view.current?.show(block.text, block));
  return <div ref={place} className="markdown" />;
}
