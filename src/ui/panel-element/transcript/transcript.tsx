import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { Conversation, ConversationEntry } from '../../../core/model/conversation.ts';
import { type ToolOutputItem, toolOutput } from '../../../core/render/tool-output.ts';
import { useAction } from '../events.ts';
import { IconButton } from '../icon.tsx';
import { CodeButtons, onMarkdownClick } from '../markdown/markdown.tsx';
import { type PanelProps, usePart } from '../use-part.ts';
import { EntryView } from './entry.tsx';
import { useHighlight } from './highlight.ts';
import { stickToEnd } from './stick-to-end.ts';

const none: readonly ToolOutputItem[] = [];

export function Transcript({ panel, conversation }: PanelProps & { readonly conversation: Conversation }) {
  const isLoading = usePart(panel, (state) => state.loading !== null);
  useHighlight(conversation.sessionId, isLoading);
  const isBusy = isLoading || conversation.activity.state === 'running';
  const canInsert = useAction('insertText');
  const codeButtons = useMemo(() => ({ copy: 'Copy', ...(canInsert && { insert: 'Insert' }) }), [canInsert]);
  const main = useRef<HTMLElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const scroller = useCallback((element: HTMLElement | null) => {
    main.current = element;
    return stickToEnd(element, setAtEnd);
  }, []);
  const goToEnd = () => {
    main.current?.scrollTo({ top: main.current.scrollHeight });
    // The button goes.
    main.current?.focus();
  };
  // An entry and an output that did not change are the same objects, so they are not drawn again.
  const view = (entry: ConversationEntry) => (
    <EntryView
      key={entry.key}
      panel={panel}
      entry={entry}
      output={entry.kind === 'toolCall' ? toolOutput(conversation, entry) : none}
    />
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard
    <main ref={scroller} part="transcript" tabIndex={0} aria-label="Conversation">
      <CodeButtons value={codeButtons}>
        {/* A screen reader reads the new messages when the turn has ended, and not each piece of text. */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click, too */}
        <div
          className="entries"
          role="log"
          aria-busy={isBusy}
          onClick={(event) => onMarkdownClick(panel, event)}
        >
          {foldedEntries(conversation.entries).map((entries) => {
            const [first] = entries;
            if (!first || entries.length < minFolded) return entries.map(view);
            return (
              <details className="tools" key={`tools ${first.key}`}>
                <summary>{entries.length} tool calls</summary>
                {entries.map(view)}
              </details>
            );
          })}
        </div>
      </CodeButtons>
      {!isAtEnd && (
        <div className="to-end">
          <IconButton name="end" label="Go to the end" onClick={goToEnd} />
        </div>
      )}
    </main>
  );
}

/** So many finished tool calls in a row are folded. */
const minFolded = 4;

/** The entries, with neighboring tool calls that have succeeded in one list. */
function foldedEntries(entries: readonly ConversationEntry[]): readonly (readonly ConversationEntry[])[] {
  const lists: ConversationEntry[][] = [];
  let isFolding = false;
  for (const entry of entries) {
    const isDone = entry.kind === 'toolCall' && entry.status === 'completed';
    if (isDone && isFolding) lists.at(-1)?.push(entry);
    else lists.push([entry]);
    isFolding = isDone;
  }
  return lists;
}
