import { Button } from './controls.tsx';
import type { PageState, SentRequest } from './page-state.ts';
import { durationText, lineText } from './rows.ts';
import { sendByHand } from './send-by-hand.ts';
import type { Server } from './server.ts';

/** The requests that were sent by hand, the latest first, to send them again as they were or changed. */
export function RequestHistory({ state, server }: { readonly state: PageState; readonly server: Server }) {
  if (state.sent.length === 0) return null;
  return (
    <section aria-labelledby="history-title">
      <div class="bar">
        <h3 id="history-title">Sent by hand</h3>
      </div>
      <ol class="sent">
        {state.sent.map((sent) => (
          <li key={sent.number}>
            <div class="facts">
              <code>{sent.method}</code>{' '}
              <span class={sent.outcome.error ? 'fault' : ''}>{outcomeText(sent)}</span>
              <code class="cut">{JSON.stringify(sent.params)}</code>
            </div>
            <div class="buttons">
              <Button text="Send again" onClick={() => void sendByHand(state, server, sent)} />
              <Button text="Edit" onClick={() => state.edit(sent.method, sent.params)} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function outcomeText({ outcome, tookMs }: SentRequest): string {
  const how = outcome.error ? `error: ${lineText(outcome.error.message ?? '')}` : 'result';
  return `${how}, after ${durationText(tookMs)}`;
}
