import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { formFields } from '../../../src/ui/panel/form-fields.ts';

const none = {
  name: 'a',
  title: null,
  description: null,
  type: 'string',
  required: false,
  default: null,
  choices: null,
  minimum: null,
  maximum: null,
  format: null,
};

const choice = (value: string, title = value) => ({ value, title });

test.each<[JsonObject, object]>([
  [{}, {}],
  [{ type: 7, title: 7, description: 7, format: 7, minLength: '1' }, {}],
  [
    {
      type: 'string',
      title: 'A',
      description: 'Why',
      format: 'email',
      minLength: 0,
      maxLength: 9,
      minimum: 5,
    },
    { title: 'A', description: 'Why', format: 'email', minimum: 0, maximum: 9 },
  ],
  [
    { type: 'number', minimum: -1.5, maximum: 2.5, minLength: 3 },
    { type: 'number', minimum: -1.5, maximum: 2.5 },
  ],
  [
    { type: 'boolean', minimum: 1, default: false },
    { type: 'boolean', default: false },
  ],
  [{ type: 'constructor', '': 7 }, { type: 'constructor' }],
  [{ type: 'toString', minimum: 7 }, { type: 'toString' }],
  ...[{ type: 'integer', minimum: 1, maximum: 2 }, { default: '' }, { type: 'integer', default: 0 }].map(
    (field): [JsonObject, object] => [field, field],
  ),
  [{ default: { a: 1 } }, {}],
  [
    { type: 'array', default: ['x', 'y'], minItems: 1, maxItems: 2 },
    { type: 'array', default: ['x', 'y'], minimum: 1, maximum: 2 },
  ],
  [{ type: 'array', default: ['x', 1] }, { type: 'array' }],
  [{ enum: ['x', 1, 'y'] }, { choices: [choice('x'), choice('y')] }],
  [
    {
      oneOf: [
        { const: 'x', title: 'X' },
        { const: 'y' },
        { const: 1, title: 'One' },
        'z',
        null,
        { title: 'T' },
      ],
    },
    { choices: [choice('x', 'X'), choice('y')] },
  ],
  [{ anyOf: [{ const: 'x' }], items: { enum: ['y'] } }, {}],
  [
    { type: 'array', items: { enum: ['y'] }, enum: ['x'] },
    { type: 'array', choices: [choice('y')] },
  ],
  [
    { type: 'array', items: { anyOf: [{ const: 'y' }] }, oneOf: [{ const: 'x' }] },
    { type: 'array', choices: [choice('y')] },
  ],
  [{ type: 'array', items: 'x', enum: ['x'] }, { type: 'array' }],
])('the property %j is a field', (property, field) => {
  expect(formFields({ properties: { a: property } })).toEqual([{ ...none, ...field }]);
});

test('the required fields are those that the schema names, and what is no property is no field', () => {
  const fields = formFields({ properties: { a: {}, b: {}, c: 'x', d: null }, required: ['b', 'c', 7] });
  expect(fields.map(({ name, required }) => [name, required])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(formFields({ properties: { a: {} }, required: 'a' })).toEqual([none]);
  expect([formFields({}), formFields({ properties: [{}] })]).toEqual([[], []]);
});
