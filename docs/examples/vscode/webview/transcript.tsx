import { type Conversation, type ToolOutputItem, toolOutput } from 'acp-client-sdk/conversation';
import type { MouseEvent } from 'react';
import { EntryView } from './entry.tsx';
import type { PanelProps } from './panel-props.ts';
import { stickToEnd } from './stick-to-end.ts';

const none: readonly ToolOutputItem[] = [];

export function Transcript({
  panel,
  state,
  conversation,
}: PanelProps & { readonly conversation: Conversation }) {
  const isBusy = state.loading !== null || conversation.activity.state === 'running';
  // A link of the agent's Markdown: the host opens a page outside, or a file of the workspace in the editor.
  const openLink = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const entryKey = link?.closest('[data-entry]')?.getAttribute('data-entry');
    const address = link?.getAttribute('href');
    if (entryKey == null || address == null) return;
    event.preventDefault();
    if (/^https?:/i.test(address)) panel.openLink(address);
    else panel.openLocation({ kind: 'link', entryKey, uri: address });
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard
    <main ref={stickToEnd} tabIndex={0} aria-label="Conversation">
      {/* A screen reader reads the new messages when the turn has ended, and not each piece of text. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click, too */}
      <div className="entries" role="log" aria-busy={isBusy} onClick={openLink}>
        {conversation.entries.map((entry) => (
          // An entry and an output that did not change are the same objects, so React skips them.
          <EntryView
            key={entry.key}
            panel={panel}
            entry={entry}
            output={entry.kind === 'toolCall' ? toolOutput(conversation, entry) : none}
          />
        ))}
      </div>
    </main>
  );
}
