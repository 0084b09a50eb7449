import type * as v from 'valibot';
import { safeParse } from 'valibot';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/core/protocol/dialect.ts';
import { localDialect } from '../../src/core/protocol/local-dialect.ts';
import { marksOf, shapeOf } from '../../src/core/protocol/schema-shape.ts';
import { pathMap } from '../../src/core/protocol/shared-directories.ts';
import {
  type Defs,
  officialDefs,
  resolve,
  type Schema,
  type SchemaObject,
} from '../support/official-schema.ts';
import { differences, patched } from './differences.ts';
import { type FieldPlace, fieldPlaces } from './field-places.ts';
import { dialects, exceptionsOf, schemas, versions } from './ours.ts';

/** What a field that can be a path is named after, or described with. */
const words = /\bpaths?\b|\bur[il]s?\b|director(?:y|ies)|\bfolders?\b|\bfiles?\b/i;

/** The fields with these words that hold no path and no URI of a file. */
const others = exceptionsOf('fields named like files that hold no path and no URI of a file');

interface Described extends SchemaObject {
  readonly description?: string;
}

/** The fields of strings, and of lists of strings, that have one of the words. */
function candidates(defs: Defs): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [def, schema] of Object.entries(defs)) {
    for (const [key, property] of propertiesOf(schema)) {
      const description = typeof property === 'object' ? ((property as Described).description ?? '') : '';
      if (holdsText(defs, property) && words.test(`${key} ${description}`)) found.add(`${def}.${key}`);
    }
  }
  return found;
}

/** The properties of a definition, and those of its branches. */
function propertiesOf(schema: Schema): readonly (readonly [key: string, property: Schema])[] {
  if (typeof schema === 'boolean') return [];
  const branches = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...Object.entries(schema.properties ?? {}), ...branches.flatMap(propertiesOf)];
}

function holdsText(defs: Defs, schema: Schema): boolean {
  if (typeof schema === 'boolean') return false;
  const { $ref, type, items, allOf = [], anyOf = [], oneOf = [], const: constant, enum: choices } = schema;
  if (constant !== undefined || choices) return false;
  if ($ref) return holdsText(defs, resolve(defs, schema));
  const types = [type ?? []].flat();
  if (types.includes('string')) return true;
  if (types.includes('array')) return items !== undefined && holdsText(defs, items);
  return [...allOf, ...anyOf, ...oneOf].some((part) => holdsText(defs, part));
}

/** The fields that our schemas mark, by the name of their definition. */
function marked(version: 1 | 2): ReadonlySet<string> {
  return new Set(
    Object.entries(schemas[version]).flatMap(([def, schema]) => {
      const { entries = {} } = schema as unknown as { readonly entries?: Record<string, v.GenericSchema> };
      return Object.keys(entries)
        .filter((key) => isMarked(entries[key] as v.GenericSchema))
        .map((key) => `${def}.${key}`);
    }),
  );
}

function isMarked(schema: v.GenericSchema): boolean {
  const shape = shapeOf(schema);
  const { namesFile, strict, item } = marksOf(schema);
  if (namesFile) return true;
  const wrapped = 'wrapped' in shape ? shape.wrapped : 'item' in shape ? shape.item : undefined;
  const inner = strict ?? item ?? wrapped;
  return inner !== undefined && isMarked(inner);
}

const sorted = (names: Iterable<string>) => [...names].sort();

/** The published definitions, with the file that a plan can be in since their release. */
function withNewPlans(version: 1 | 2): Defs {
  const ofPlans = differences[version].filter(({ def }) => def.startsWith('Plan'));
  return patched(officialDefs(version), ofPlans);
}

describe.each(versions)('version %i', (version) => {
  const defs = withNewPlans(version);

  test('marks each field of the published schema that is a path or a URI of a file', () => {
    const expected = [...candidates(defs)].filter((field) => !others.includes(field));
    expect(sorted(marked(version))).toEqual(sorted(expected));
  });

  test('has a reason only for fields that are in a published schema', () => {
    const all = new Set(versions.flatMap((each) => [...candidates(officialDefs(each))]));
    expect(others.filter((field) => !all.has(field))).toEqual([]);
  });
});

const map = pathMap([{ editor: 'C:\\sample', agent: '/sample' }]);

/** The values of `field-places.ts` as the agent has them, and as the editor has them. */
const inFormOfAgent = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replaceAll('"https://example.com/', '"file:///sample/'));
const inFormOfEditor = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll('"https://example.com/', '"file:///C:/sample/')
      .replaceAll('"/sample/', '"C:\\\\sample\\\\'),
  );

const agentForm = /^(?:\/|file:\/\/\/)sample\//;
const editorForm = /^(?:C:\\|file:\/\/\/C:\/)sample[\\/]/;

/** The program of a server is a path, and that of a terminal is a part of a command line. */
function withProgram(place: FieldPlace): FieldPlace {
  if (place.field !== 'McpServerStdio.command') return place;
  return { ...place, with: JSON.parse(JSON.stringify(place.with).replaceAll('"/programs/', '"/sample/')) };
}

/** The texts in a value that name a file. */
function fileNamesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return agentForm.test(value) || editorForm.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(fileNamesIn);
}

/** Reads or writes a message. */
type Pass = (value: unknown) => unknown;

function parse(schema: v.GenericSchema): Pass {
  return (value) => {
    const result = safeParse(schema, value);
    if (!result.success) throw new Error(JSON.stringify(result.issues));
    return result.output;
  };
}

interface Way {
  readonly name: string;
  readonly def: string;
  readonly from: 'agent' | 'editor';
  readonly pass: Pass;
}

/** All ways on which a message with a path can pass. */
function waysOf(dialect: Dialect, defs: Defs): readonly Way[] {
  const local = localDialect(dialect, map);
  const ways: Way[] = [
    { name: 'session/update', def: 'SessionUpdate', from: 'agent', pass: local.normalize },
    {
      name: 'session/request_permission',
      def: 'RequestPermissionRequest',
      from: 'agent',
      pass: local.normalizePermission,
    },
  ];
  for (const [def, { 'x-method': method, 'x-side': side }] of Object.entries(defs)) {
    if (method === undefined || method === 'session/update' || method === 'session/request_permission')
      continue;
    const isResult = def.endsWith('Response');
    const ours = side === 'agent' ? local.agentMethods[method] : local.clientMethods[method];
    const schema = isResult ? ours?.result : ours?.params;
    // `initialize` is sent before there is a dialect, and has no path.
    if (!schema) continue;
    const from = (side === 'agent') === isResult ? 'agent' : 'editor';
    ways.push({ name: `${method}, ${def}`, def, from, pass: parse(schema) });
  }
  return ways;
}

const whoSends = { agent: [inFormOfAgent, editorForm], editor: [inFormOfEditor, agentForm] } as const;

describe.each(versions)('in version %i', (version) => {
  const defs = withNewPlans(version);
  const fields = marked(version);

  describe.each(dialects[version])('as $name speaks it', (dialect) => {
    const places = waysOf(dialect, defs).flatMap((way) =>
      fieldPlaces(defs, { $ref: `#/$defs/${way.def}` }, way.def)
        .filter(({ field }) => fields.has(field))
        .map((place): Way & FieldPlace => ({ ...way, ...withProgram(place) })),
    );

    test('each path can be sent', () => {
      expect(sorted(new Set(places.map(({ field }) => field)))).toEqual(sorted(fields));
    });

    test.each(places)('$name converts $field', ({ from, pass, with: value }) => {
      const [inFormOfSender, formOfReceiver] = whoSends[from];
      const sent = inFormOfSender(value);
      expect(fileNamesIn(sent)).not.toEqual([]);
      const received = fileNamesIn(pass(sent));
      expect(received).not.toEqual([]);
      expect(received.filter((name) => !formOfReceiver.test(name))).toEqual([]);
    });
  });
});
