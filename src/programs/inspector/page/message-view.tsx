import { useState } from 'preact/hooks';
import { isJsonObject } from '../../../core/base/json.ts';
import type { PatchOperation } from '../../../core/conversation/patch.ts';
import { paramsOf } from '../../../records/recording/recorded-message.ts';
import { Button } from './controls.tsx';
import { JsonText } from './json-text.tsx';
import type { PageState } from './page-state.ts';
import { durationText, isAnswer, lineText, type Row, secondsText } from './rows.ts';

interface MessageViewProps {
  readonly state: PageState;
  readonly index: number;
}

/** One message: what it is, what it changed, and its JSON. */
export function MessageView({ state, index }: MessageViewProps) {
  const row = state.timeline.rows[index];
  if (!row) return null;
  const { item, diagnostics } = row;
  const value = item.type === 'message' ? item.msg : item;
  return (
    <section class="pane message" aria-label={`Message ${index + 1}`}>
      <div class="bar">
        <h3>
          #{index + 1} {lineText(row.label)}
        </h3>
        <Pair state={state} row={row} />
        <span class="grow" />
        <CopyButton value={value} />
        <Button
          text="Go here"
          title="Show the conversation after this message (g)"
          onClick={() => state.goTo(index)}
        />
        {state.isLive && item.type === 'message' && item.dir === 'out' && !isAnswer(row) && (
          <Button text="Resend…" onClick={() => resend(state, item.msg)} />
        )}
        <Button
          text="✕"
          aria-label="Close the message"
          onClick={() => state.choose({ message: null, entry: null })}
        />
      </div>
      <div class="page">
        <p class="facts changes">{changesText(row)}</p>
        {diagnostics.map((at) => {
          const caused = state.timeline.rows[at]?.item;
          return caused?.type === 'diagnostic' ? (
            <p key={at} class={`facts ${caused.severity}`}>
              Caused <Button class="link" text={caused.rule} onClick={() => state.chooseMessage(at)} />:{' '}
              {caused.message}
            </p>
          ) : null;
        })}
        {item.type === 'stderr' ? (
          // biome-ignore lint/a11y: a region that scrolls needs the focus, and a section has none of its own
          <pre class="text" tabIndex={0} role="region" aria-label="stderr until here">
            {stderrUntil(state, index)}
          </pre>
        ) : (
          <JsonText value={value} />
        )}
      </div>
    </section>
  );
}

function CopyButton({ value }: { readonly value: unknown }) {
  const [text, setText] = useState('Copy');
  const copy = () =>
    navigator.clipboard.writeText(JSON.stringify(value, null, 2)).then(
      () => setText('Copied'),
      () => setText('Not allowed'),
    );
  return <Button text={text} onClick={copy} />;
}

/** When it happened, and the message that it belongs to. */
function Pair({ state, row }: { readonly state: PageState; readonly row: Row }) {
  const { item, kind, pair, durationMs, requestId } = row;
  const took = durationText(durationMs ?? 0);
  const cause = item.type === 'diagnostic' ? item.cause : undefined;
  const other = cause ?? pair;
  let words = '';
  if (cause !== undefined) words = ', caused ';
  else if (kind === 'request') {
    words = other === null ? `, request ${requestId}, without an answer` : `, answered after ${took} `;
  } else if (other !== null) words = `, answer after ${took} `;
  return (
    <span class="facts">
      at {secondsText(item.t)} s{words}
      {other !== null && (
        <Button
          class="link"
          text={`${isAnswer(row) ? 'to' : 'by'} #${other + 1}`}
          onClick={() => state.showMessage(other)}
        />
      )}
    </span>
  );
}

/** At most this many places are named. */
const maxPlaces = 12;

/** Which places of the conversation a message changed. */
function changesText({ changes }: Row): string {
  const places = [...new Set(changes.flatMap(({ patch }) => patch.map(placeOf)))];
  if (places.length === 0) return 'changed: nothing in a conversation';
  const more = places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : '';
  return `changed: ${places.slice(0, maxPlaces).join(' · ')}${more}`;
}

function placeOf(operation: PatchOperation): string {
  if (operation.op === 'output') return `output of terminal ${operation.terminalId}`;
  return `${operation.op} ${operation.path.join('.') || 'the conversation'}`;
}

/** The last lines of stderr that are shown. */
const maxLines = 2000;

/** What the agent wrote to stderr: its lines come in pieces. */
function stderrUntil({ timeline }: PageState, index: number): string {
  const texts = timeline.rows
    .slice(0, index + 1)
    .map(({ item }) => (item.type === 'stderr' ? item.text : ''));
  return texts.join('').split('\n').slice(-maxLines).join('\n');
}

/** Shows a message that was sent where it can be changed and sent again. */
function resend(state: PageState, message: unknown): void {
  if (!isJsonObject(message) || typeof message['method'] !== 'string') return;
  // An agent runs a prompt once for each key.
  const { idempotencyKey: _, ...params } = paramsOf(message);
  state.edit(message['method'], params);
}
