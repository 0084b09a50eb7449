import { useState } from 'preact/hooks';
import { Button, Checkbox } from './controls.tsx';
import { JsonText } from './json-text.tsx';
import type { PageState, SentRequest } from './page-state.ts';
import { RequestHistory } from './request-history.tsx';
import { durationText } from './rows.ts';
import { sendByHand } from './send-by-hand.ts';
import type { Hands } from './server.ts';

interface RequestFormProps {
  readonly state: PageState;
  readonly hands: Hands;
}

/** Any request to the agent, as JSON. A method begins with its template. */
export function RequestForm({ state, hands: { server, panel, methods } }: RequestFormProps) {
  const [last, setLast] = useState<SentRequest | 'waiting' | null>(null);
  const { draft } = state.choices;
  const { method, text, isUngated } = draft;
  // The methods of the agent's dialect.
  const known = methods[state.timeline.connectionAt(state.position)?.dialect ?? 'v1'];
  const template = known.find((one) => one.method === method);
  const { params, fault } = parsed(text);
  const change = (part: Partial<typeof draft>) => state.choose({ draft: { ...draft, ...part } });
  const begin = (chosen: string) => {
    const { sessionId, cwd } = panel.getSnapshot();
    const open: Readonly<Record<string, unknown>> = { sessionId, cwd };
    const fields = Object.entries(known.find((one) => one.method === chosen)?.params ?? {});
    state.edit(chosen, Object.fromEntries(fields.map(([name, value]) => [name, open[name] ?? value])));
  };
  const send = async () => {
    setLast('waiting');
    setLast(await sendByHand(state, server, { method, params, isUngated }));
  };
  return (
    <section aria-labelledby="request-title">
      <div class="bar">
        <h3 id="request-title">Any request</h3>
        <input
          list="methods"
          aria-label="Method of the request"
          class="grow"
          value={method}
          onChange={({ currentTarget }) => begin(currentTarget.value)}
        />
        <datalist id="methods">
          {known.map((one) => (
            <option key={one.method} value={one.method}>
              {one.requires ?? ''}
            </option>
          ))}
        </datalist>
      </div>
      <form
        class="by-hand"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label class="field">
          <span>Parameters as JSON</span>
          <textarea
            rows={Math.min(14, Math.max(3, text.split('\n').length))}
            spellcheck={false}
            value={text}
            aria-invalid={fault !== undefined}
            onInput={({ currentTarget }) => change({ text: currentTarget.value })}
          />
        </label>
        <div class="buttons">
          <Button
            type="submit"
            class="main"
            text={template?.isNotification ? 'Notify' : 'Request'}
            disabled={fault !== undefined || last === 'waiting'}
          />
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is a component */}
          <label>
            <Checkbox checked={isUngated} onChange={(checked) => change({ isUngated: checked })} /> also if
            the agent does not support it
          </label>
          {template?.requires && (
            <span class="facts">
              needs <code>{template.requires}</code>
            </span>
          )}
        </div>
        <div role="status">
          {fault !== undefined && `The parameters are no JSON: ${fault}`}
          {last === 'waiting' && 'Waiting for the answer.'}
        </div>
        {last !== null && last !== 'waiting' && last.method === method && <OutcomeView sent={last} />}
      </form>
      <RequestHistory state={state} server={server} />
    </section>
  );
}

function OutcomeView({ sent: { outcome, tookMs } }: { readonly sent: SentRequest }) {
  const { error, result } = outcome;
  return (
    <div class={error ? 'outcome fault' : 'outcome'}>
      <p role="status">
        {error ? `Error: ${error.message ?? ''}` : 'Result'}, after {durationText(tookMs)}
      </p>
      <JsonText value={error ?? result} isRaw={false} />
    </div>
  );
}

/** The parameters, or what is wrong with the text, in the words of the browser. */
function parsed(text: string): { readonly params?: unknown; readonly fault?: string } {
  try {
    return { params: JSON.parse(text) };
  } catch (error) {
    // It throws errors only.
    return { fault: (error as Error).message };
  }
}
