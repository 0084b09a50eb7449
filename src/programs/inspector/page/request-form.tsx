import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { JsonText } from './json-text.tsx';
import type { PageState } from './page-state.ts';
import type { Hands } from './server.ts';

interface RequestFormProps {
  readonly state: PageState;
  readonly hands: Hands;
}

/** What came of a request by hand. */
interface Outcome {
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** Any request to the agent, as JSON. A method begins with its template. */
export function RequestForm({ state, hands: { server, panel, methods } }: RequestFormProps) {
  const [sent, setSent] = useState<{ readonly method: string; readonly outcome?: Outcome }>();
  const { draft } = state.choices;
  const { method, text, isUngated } = draft;
  // The methods of the agent's dialect.
  const known = methods[state.timeline.connectionAt(state.position)?.dialect ?? 'v1'];
  const template = known.find((one) => one.method === method);
  const { value: params, fault } = readJson(text);
  const outcome = sent?.outcome;
  const isWaiting = sent !== undefined && outcome === undefined;
  const change = (part: Partial<typeof draft>) => state.choose({ draft: { ...draft, ...part } });
  const begin = (chosen: string) => {
    const { sessionId, cwd } = panel.getSnapshot();
    const open: Readonly<Record<string, unknown>> = { sessionId, cwd };
    const fields = Object.entries(known.find((one) => one.method === chosen)?.params ?? {});
    state.edit(chosen, Object.fromEntries(fields.map(([name, value]) => [name, open[name] ?? value])));
  };
  const send = async () => {
    if (method === 'session/delete' && !confirm('The agent deletes the session. Send it?')) return;
    setSent({ method });
    const body = JSON.stringify({ method, params, ...(isUngated && { allowUnsupported: true }) });
    // The server is of the same version as the page.
    const outcome = (await server.post('/call', body).catch((error: unknown) => ({ error }))) as Outcome;
    setSent({ method, outcome });
  };
  return (
    <form
      class="page by-hand"
      aria-label="Request by hand"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="field">
        <span>Method of the request</span>
        <input list="methods" value={method} onChange={({ currentTarget }) => begin(currentTarget.value)} />
      </label>
      <datalist id="methods">
        {known.map((one) => (
          <option key={one.method} value={one.method}>
            {one.requires ?? ''}
          </option>
        ))}
      </datalist>
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
      <div role="status">{fault !== undefined && `This is no JSON: ${fault}`}</div>
      <div class="buttons">
        <Button
          type="submit"
          class="main"
          text={template?.isNotification ? 'Notify' : 'Request'}
          disabled={fault !== undefined || isWaiting}
        />
        <label>
          <input
            type="checkbox"
            checked={isUngated}
            onChange={({ currentTarget }) => change({ isUngated: currentTarget.checked })}
          />{' '}
          also if the agent does not support it
        </label>
        {template?.requires && (
          <span class="facts">
            needs <code>{template.requires}</code>
          </span>
        )}
      </div>
      <div role="status">{isWaiting && 'Waiting for the answer.'}</div>
      {outcome && sent?.method === method && (
        <div class={outcome.error ? 'card error' : 'card'}>
          <p role="status">{outcome.error ? `Error: ${outcome.error.message ?? ''}` : 'Result'}</p>
          <JsonText value={outcome.error ?? outcome.result} />
        </div>
      )}
    </form>
  );
}

/** The value of a text, or what is wrong with the text, in the words of the browser. */
function readJson(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // It throws errors only.
    return { fault: (error as Error).message };
  }
}
