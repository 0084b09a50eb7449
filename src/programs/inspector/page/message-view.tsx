import { useState } from 'preact/hooks';
import { isJsonObject } from '../../../base/json.ts';
import type { TimelineItem } from '../timeline/items.ts';
import { changeLines } from './changes-text.ts';
import { Button } from './controls.tsx';
import { copy } from './hooks.ts';
import { JsonText } from './json-text.tsx';
import type { PageState } from './page-state.ts';
import { durationText, isAnswer, lineText, type Row, secondsText } from './rows.ts';

interface MessageViewProps {
  readonly state: PageState;
  readonly index: number;
  readonly hasHands: boolean;
}

/** One message: what it is, what it changed, and its JSON. */
export function MessageView({ state, index, hasHands }: MessageViewProps) {
  const [isRaw, setIsRaw] = useState(false);
  const row = state.timeline.rows[index];
  if (!row) return null;
  const { item, diagnostics } = row;
  const value = item.type === 'message' ? item.msg : withoutChanges(item);
  const text = JSON.stringify(value, null, isRaw ? 0 : 2);
  return (
    <section class="message" aria-label={`Message ${index + 1}`}>
      <div class="bar">
        <h3>
          #{index + 1} {lineText(row.label)}
        </h3>
        <Pair state={state} row={row} />
        <span class="grow" />
        <Button text="Raw" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)} />
        <Button text="Copy" onClick={() => copy(state, text)} />
        <Button
          text="Go here"
          title="Show the conversation after this message (g)"
          onClick={() => state.goTo(index)}
        />
        {hasHands && item.type === 'message' && item.dir === 'out' && !isAnswer(row) && (
          <Button text="Resend…" onClick={() => resend(state, item.msg)} />
        )}
        <Button
          text="✕"
          aria-label="Close the message"
          onClick={() => state.choose({ message: null, entry: null })}
        />
      </div>
      <div class="body">
        {(item.type === 'message' || row.changes.length > 0) && <Changes state={state} row={row} />}
        {diagnostics.map((at) => {
          const cause = state.timeline.rows[at]?.item;
          return cause?.type === 'diagnostic' ? (
            <p key={at} class={`caused ${cause.severity}`}>
              Caused{' '}
              <Button class="link" text={cause.rule} onClick={() => state.choose({ tab: 'diagnostics' })} />:{' '}
              {cause.message}
            </p>
          ) : null;
        })}
        {item.type === 'stderr' ? (
          <pre class="json">{item.text}</pre>
        ) : (
          <JsonText key={String(isRaw)} value={value} isRaw={isRaw} />
        )}
      </div>
    </section>
  );
}

function Pair({ state, row }: { readonly state: PageState; readonly row: Row }) {
  const { item, kind, pair, durationMs, requestId } = row;
  const time = `at ${secondsText(item.t)} s`;
  if (pair === null || durationMs === null) {
    return (
      <span class="facts">
        {time}
        {kind === 'request' && `, request ${requestId}, without an answer`}
      </span>
    );
  }
  return (
    <span class="facts">
      {time}, {kind === 'request' ? 'answered' : 'answer'} after {durationText(durationMs)}{' '}
      <Button
        class="link"
        text={`${kind === 'request' ? 'by' : 'to'} #${pair + 1}`}
        onClick={() => state.showMessage(pair)}
      />
    </span>
  );
}

/** At most so many lines are shown. */
const maxLines = 12;

function Changes({ state, row }: { readonly state: PageState; readonly row: Row }) {
  const { changes, index } = row;
  if (changes.length === 0) return <p class="changes">changed: nothing in a conversation</p>;
  const lines = changes.flatMap((change) => {
    const { conversation } = change;
    const after = state.timeline.conversationAt(conversation, index);
    return changeLines(change, after).map((line) => ({ ...line, conversation }));
  });
  return (
    <div class="changes">
      <span>changed: </span>
      <ul>
        {lines.slice(0, maxLines).map(({ text, entry, conversation }) => (
          <li key={`${entry} ${text}`}>
            {entry === null ? (
              text
            ) : (
              <Button
                class="link"
                text={text}
                onClick={() => state.choose({ entry, conversation, message: index })}
              />
            )}
          </li>
        ))}
        {lines.length > maxLines && <li>and {lines.length - maxLines} more</li>}
      </ul>
    </div>
  );
}

function withoutChanges({ changes: _, ...item }: TimelineItem): unknown {
  return item;
}

/** Shows a message that was sent where it can be changed and sent again. */
function resend(state: PageState, message: unknown): void {
  if (!isJsonObject(message) || typeof message['method'] !== 'string') return;
  state.edit(message['method'], message['params']);
}
