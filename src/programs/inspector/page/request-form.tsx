import forms from 'method-forms';
import { useState } from 'preact/hooks';
import { isJsonObject } from '../../../base/json.ts';
import { Button, Checkbox, Select } from './controls.tsx';
import { JsonText } from './json-text.tsx';
import type { Field, MethodForm } from './method-forms.ts';
import type { PageState, SentRequest } from './page-state.ts';
import { RequestHistory } from './request-history.tsx';
import { durationText } from './rows.ts';
import { sendByHand } from './send-by-hand.ts';
import type { Server } from './server.ts';

interface RequestFormProps {
  readonly state: PageState;
  readonly server: Server;
  readonly sessionId: string | null;
}

/** Any request to the agent, with a form from its schema or as JSON. */
export function RequestForm({ state, server, sessionId }: RequestFormProps) {
  const { draft } = state.choices;
  // The methods of the agent's dialect.
  const methods = forms[state.timeline.connectionAt(state.position)?.dialect ?? 'v1'];
  const method = draft?.method ?? 'session/list';
  const form = methods.find((known) => known.method === method);
  return (
    <section aria-labelledby="request-title">
      <div class="bar">
        <h3 id="request-title">Any request</h3>
        <input
          list="methods"
          aria-label="Method of the request"
          class="grow"
          value={method}
          onChange={({ currentTarget }) => {
            const chosen = methods.find((known) => known.method === currentTarget.value);
            state.edit({ method: currentTarget.value, params: presets(chosen, sessionId) });
          }}
        />
        <datalist id="methods">
          {methods.map((known) => (
            <option key={known.method} value={known.method}>
              {known.requires ?? ''}
            </option>
          ))}
        </datalist>
      </div>
      <Request
        key={`${draft?.serial ?? 0} ${draft ? '' : method}`}
        state={state}
        server={server}
        method={method}
        form={form}
        params={draft?.params ?? {}}
      />
      <RequestHistory state={state} server={server} />
    </section>
  );
}

function presets(form: MethodForm | undefined, sessionId: string | null): Record<string, unknown> {
  const names = form?.fields.map(({ name }) => name) ?? [];
  return sessionId !== null && names.includes('sessionId') ? { sessionId } : {};
}

interface RequestProps {
  readonly state: PageState;
  readonly server: Server;
  readonly method: string;
  readonly form: MethodForm | undefined;
  readonly params: unknown;
}

function Request({ state, server, method, form, params: first }: RequestProps) {
  const [text, setText] = useState(() => JSON.stringify(first, null, 2));
  const [isUngated, setIsUngated] = useState(false);
  const [outcome, setOutcome] = useState<SentRequest | 'waiting' | null>(null);
  const params = parsed(text);
  const send = async () => {
    setOutcome('waiting');
    setOutcome(await sendByHand(state, server, { method, params, isUngated }));
  };
  return (
    <form
      class="by-hand"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {form && isJsonObject(params) && (
        <div class="settings">
          {form.fields.map((field) => (
            // biome-ignore lint/a11y/noLabelWithoutControl: the control is a component
            <label key={field.name} class="field">
              <span>
                <code>{field.name}</code>
                {field.required && ' (required)'}
              </span>
              <FieldControl
                field={field}
                value={params[field.name]}
                onChange={(value) => setText(JSON.stringify(withField(params, field.name, value), null, 2))}
              />
            </label>
          ))}
        </div>
      )}
      <label class="field">
        <span>Parameters as JSON</span>
        <textarea
          rows={Math.min(14, Math.max(3, text.split('\n').length))}
          spellcheck={false}
          value={text}
          aria-invalid={params === undefined}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <Button
          type="submit"
          class="main"
          text={form?.isNotification ? 'Notify' : 'Request'}
          disabled={params === undefined || outcome === 'waiting'}
        />
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is a component */}
        <label>
          <Checkbox checked={isUngated} onChange={setIsUngated} /> also if the agent does not support it
        </label>
        {form?.requires && (
          <span class="facts">
            needs <code>{form.requires}</code>
          </span>
        )}
      </div>
      <div role="status">
        {params === undefined && 'The parameters are no JSON.'}
        {outcome === 'waiting' && 'Waiting for the answer.'}
      </div>
      {outcome !== null && outcome !== 'waiting' && <OutcomeView sent={outcome} />}
    </form>
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

interface FieldControlProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function FieldControl({ field: { name, shape }, value, onChange }: FieldControlProps) {
  if (shape.is === 'boolean') return <Checkbox checked={value === true} onChange={onChange} />;
  if (shape.is === 'choice') {
    return (
      <Select
        value={typeof value === 'string' ? value : ''}
        options={['', ...shape.values].map((choice) => [choice])}
        onChange={(choice) => onChange(choice || undefined)}
      />
    );
  }
  if (shape.is === 'text' || shape.is === 'number') {
    const given = {
      value: value === undefined ? '' : String(value),
      onInput: ({ currentTarget: { value: text } }: { readonly currentTarget: HTMLInputElement }) => {
        if (text === '') onChange(undefined);
        else onChange(shape.is === 'number' ? Number(text) : text);
      },
    };
    return shape.is === 'number' ? <input {...given} type="number" /> : <input {...given} />;
  }
  return <JsonControl name={name} value={value} onChange={onChange} />;
}

function JsonControl(props: Omit<FieldControlProps, 'field'> & { readonly name: string }) {
  const { name, value, onChange } = props;
  const current = value === undefined ? '' : JSON.stringify(value);
  const [text, setText] = useState(current);
  return (
    <input
      type="text"
      placeholder="JSON"
      name={name}
      value={parsed(text) === undefined ? text : current}
      aria-invalid={text !== '' && parsed(text) === undefined}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const next = currentTarget.value === '' ? undefined : parsed(currentTarget.value);
        if (currentTarget.value === '' || next !== undefined) onChange(next);
      }}
    />
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withField(params: Readonly<Record<string, unknown>>, name: string, value: unknown) {
  const { [name]: _, ...rest } = params;
  return value === undefined ? rest : { ...params, [name]: value };
}
