import { isJsonObject, type JsonObject } from '../base/json.ts';
import { formIssues } from '../client/requests/form-answer.ts';
import type { ElicitationAnswer, FormElicitation } from '../client/requests/handlers.ts';
import { formFields } from '../panel/form-fields.ts';
import type { PanelFormField } from '../panel/state.ts';
import type { VsCodePickItem } from './api.ts';
import { label } from './label.ts';
import type { Prompts, PromptText } from './pick.ts';

/** The value of a field; `left out` for an optional field without one; `undefined` if the user dismissed the prompt. */
type FieldAnswer = { readonly value: unknown } | 'left out' | undefined;

interface FieldPrompt {
  readonly field: PanelFormField;
  readonly text: PromptText;
  /** What is wrong with a value, by the schema of the agent. */
  readonly check: (value: unknown) => string | undefined;
}

/** Asks for the fields of a form one after the other. Escape declines the form. */
export async function askForm(
  prompts: Prompts,
  { message, requestedSchema }: FormElicitation,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  // The client passes what it parsed from JSON.
  const schema = requestedSchema as JsonObject;
  const fields = formFields(schema);
  const content: Record<string, unknown> = {};
  if (fields.length === 0) {
    const items: VsCodePickItem[] = [{ label: '$(check) Accept' }, { label: '$(x) Decline' }];
    const text = { title: label(message), placeholder: 'The agent asks you to confirm.' };
    const chosen = await prompts.choose(text, items, signal);
    if (signal.aborted) return { action: 'cancel' };
    return chosen && chosen === items[0] ? { action: 'accept', content } : { action: 'decline' };
  }
  for (const [index, field] of fields.entries()) {
    const name = label(field.title ?? field.name);
    const answer = await askField(prompts, signal, {
      field,
      text: {
        title: label(message),
        placeholder: field.description === null ? name : `${name}: ${label(field.description)}`,
        step: [index + 1, fields.length],
      },
      check: (value) => problemOf(schema, field.name, value),
    });
    if (signal.aborted) return { action: 'cancel' };
    if (answer === undefined) return { action: 'decline' };
    if (answer !== 'left out') content[field.name] = answer.value;
  }
  return { action: 'accept', content };
}

function problemOf(schema: JsonObject, name: string, value: unknown): string | undefined {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return formIssues({ properties }, { [name]: value })[0]?.message;
}

type Ask = (prompts: Prompts, signal: AbortSignal, prompt: FieldPrompt) => Promise<FieldAnswer>;

function askField(prompts: Prompts, signal: AbortSignal, prompt: FieldPrompt): Promise<FieldAnswer> {
  const { type, choices } = prompt.field;
  if (type === 'array') return askSeveral(prompts, signal, prompt);
  const ask = choices !== null || type === 'boolean' ? askOne : askText;
  return ask(prompts, signal, prompt);
}

const askOne: Ask = async (prompts, signal, { field, text }) => {
  const options =
    field.type === 'boolean'
      ? [
          { label: 'Yes', value: true },
          { label: 'No', value: false },
        ]
      : (field.choices ?? []).map(({ value, title }) => ({ label: label(title), value }));
  // The first item is the one that Enter takes.
  const items: (VsCodePickItem & { value?: unknown })[] = options
    .map((item) => (item.value === field.default ? { ...item, description: 'default' } : item))
    .sort((one, other) => Number(other.value === field.default) - Number(one.value === field.default));
  if (!field.required) items.push({ label: '$(dash) No answer' });
  const chosen = await prompts.choose(text, items, signal);
  if (!chosen) return undefined;
  return 'value' in chosen ? { value: chosen.value } : 'left out';
};

const askSeveral: Ask = async (prompts, signal, { field, text, check }) => {
  const items = (field.choices ?? []).map(({ value, title }) => ({ label: label(title), value }));
  const preset: readonly unknown[] = Array.isArray(field.default) ? field.default : [];
  const isLeftOut = (chosen: readonly unknown[]) => chosen.length === 0 && !field.required;
  const chosen = await prompts.chooseSeveral(
    text,
    {
      items,
      picked: items.filter(({ value }) => preset.includes(value)),
      check: (picked) => (isLeftOut(picked) ? undefined : check(picked.map(({ value }) => value))),
    },
    signal,
  );
  if (!chosen) return undefined;
  return isLeftOut(chosen) ? 'left out' : { value: chosen.map(({ value }) => value) };
};

const askText: Ask = async (prompts, signal, { field, text, check }) => {
  const isNumber = field.type === 'number' || field.type === 'integer';
  const readValue = (entered: string): unknown => {
    if (!isNumber) return entered;
    return entered.trim() === '' ? Number.NaN : Number(entered);
  };
  const isLeftOut = (entered: string) => entered === '' && !field.required;
  const problem = (entered: string) => {
    if (isLeftOut(entered)) return undefined;
    if (entered === '') return 'This field is required.';
    const message = check(readValue(entered));
    return message === undefined ? undefined : `The value ${message}.`;
  };
  const prompt = field.required ? text.placeholder : `${text.placeholder} (optional)`;
  const value = field.default === null ? '' : String(field.default);
  const entered = await prompts.enter(text, { prompt, value, check: problem }, signal);
  if (entered === undefined) return undefined;
  return isLeftOut(entered) ? 'left out' : { value: readValue(entered) };
};
