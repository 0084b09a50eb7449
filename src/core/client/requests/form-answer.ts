import type { ValidationIssue } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';

type Content = Readonly<Record<string, unknown>>;

/**
 * The fields of a filled-in form that are missing or wrong, by the schema of the agent. The issues do not repeat the
 * user's values.
 *
 * A `pattern` is not checked: the agent wrote it, and some patterns never finish. A `format` is not checked either: the
 * agent decides about an address or a date.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export function formIssues(
  { properties, required }: JsonObject,
  content: Content,
): readonly ValidationIssue[] {
  const fields: JsonObject = isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const missing = names
    .filter((name) => own(content, name) === undefined)
    .map((name) => ({ path: name, message: 'is missing' }));
  const wrong = Object.keys(content).flatMap((name) => {
    const value = own(content, name);
    const message = value === undefined ? undefined : fault(own(fields, name), value);
    return message === undefined ? [] : [{ path: name, message }];
  });
  return [...missing, ...wrong];
}

/** What is wrong with a value, if anything is. */
type Check = (field: JsonObject, value: unknown) => string | undefined;

/** By the type of the field. Of a type that is not here nothing is known. */
const checks: Readonly<Record<string, Check>> = {
  string: (field, value) => {
    if (typeof value !== 'string') return 'must be a text';
    // As JSON Schema counts: characters, not UTF-16 units.
    const { length } = Array.from(value);
    return notOneOf(choicesOf(field['enum'], field['oneOf']), [value]) ?? outside(field, lengths, length);
  },
  number: (field, value) =>
    typeof value === 'number' && Number.isFinite(value) ? outside(field, amounts, value) : 'must be a number',
  integer: (field, value) =>
    Number.isInteger(value) ? outside(field, amounts, Number(value)) : 'must be a whole number',
  boolean: (_, value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  array: (field, value) => {
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
      return 'must be a list of texts';
    }
    const items = isJsonObject(field['items']) ? field['items'] : {};
    return notOneOf(choicesOf(items['enum'], items['anyOf']), value) ?? outside(field, counts, value.length);
  },
};

function fault(field: unknown, value: unknown): string | undefined {
  if (!isJsonObject(field)) return undefined;
  const { type } = field;
  return typeof type === 'string' && Object.hasOwn(checks, type) ? checks[type]?.(field, value) : undefined;
}

/** Where a schema keeps the least and the most, and what is counted. */
interface Bounds {
  readonly least: string;
  readonly most: string;
  readonly of: string;
}

const amounts: Bounds = { least: 'minimum', most: 'maximum', of: '' };
const lengths: Bounds = { least: 'minLength', most: 'maxLength', of: ' characters long' };
const counts: Bounds = { least: 'minItems', most: 'maxItems', of: ' items long' };

function outside(field: JsonObject, { least, most, of }: Bounds, amount: number): string | undefined {
  const { [least]: minimum, [most]: maximum } = field;
  if (typeof minimum === 'number' && amount < minimum) return `must be at least ${minimum}${of}`;
  if (typeof maximum === 'number' && amount > maximum) return `must be at most ${maximum}${of}`;
  return undefined;
}

/** The values to choose from. Each is given alone or with a title. `undefined` if any value is allowed. */
function choicesOf(bare: unknown, titled: unknown): readonly unknown[] | undefined {
  if (Array.isArray(bare)) return bare;
  if (!Array.isArray(titled)) return undefined;
  return titled.map((option: unknown) => (isJsonObject(option) ? option['const'] : undefined));
}

function notOneOf(choices: readonly unknown[] | undefined, values: readonly unknown[]): string | undefined {
  if (!choices || values.every((value) => choices.includes(value))) return undefined;
  return `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
}

function own(object: Content, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
