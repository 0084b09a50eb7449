import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import type { PanelFormField } from './state.ts';

/**
 * The fields of a form, from the JSON Schema of flat properties that an agent sends. What is malformed in the schema
 * counts as absent.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export function formFields({ properties, required }: JsonObject): readonly PanelFormField[] {
  const names = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, property]) =>
    isJsonObject(property) ? [fieldOf(name, property, names.includes(name))] : [],
  );
}

/** The names of the bounds, by the type of a field. */
const bounds: Readonly<Record<string, readonly [least: string, most: string]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};

function fieldOf(name: string, property: JsonObject, required: boolean): PanelFormField {
  const type = textOf(property['type']) ?? 'string';
  const items = isJsonObject(property['items']) ? property['items'] : {};
  const [least, most] = (Object.hasOwn(bounds, type) && bounds[type]) || [];
  return {
    name,
    title: textOf(property['title']),
    description: textOf(property['description']),
    type,
    required,
    default: defaultOf(property['default']),
    choices:
      type === 'array'
        ? choicesOf(items['enum'], items['anyOf'])
        : choicesOf(property['enum'], property['oneOf']),
    minimum: numberOf(least && property[least]),
    maximum: numberOf(most && property[most]),
    format: textOf(property['format']),
  };
}

function choicesOf(bare: unknown, titled: unknown): PanelFormField['choices'] {
  if (Array.isArray(bare)) {
    return bare.flatMap((value) => (typeof value === 'string' ? [{ value, title: value }] : []));
  }
  if (!Array.isArray(titled)) return null;
  return titled.flatMap((option: unknown) => {
    const value = isJsonObject(option) ? option['const'] : undefined;
    if (!isJsonObject(option) || typeof value !== 'string') return [];
    return [{ value, title: textOf(option['title']) ?? value }];
  });
}

function defaultOf(value: unknown): PanelFormField['default'] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
