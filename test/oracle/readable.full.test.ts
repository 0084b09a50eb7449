import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import { fits } from '../../src/core/protocol/compiled-check.ts';
import {
  closure,
  type Defs,
  forgiving,
  judge,
  officialDefs,
  reader,
  type Schema,
} from '../support/official-schema.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';
import { differences, patched } from './differences.ts';
import { type FieldPlace, fieldPlaces, placesIn, smallest } from './field-places.ts';
import { exceptionsOf, schemas, versions } from './ours.ts';
import {
  type Read,
  readAnswer,
  readCompletion,
  readInitialize,
  readNotification,
  readPrompt,
  readRequest,
  readUpdate,
} from './program.ts';

/**
 * A program can read each field that an agent can send: it sees something else when the field is there. The fields are
 * those of the published schema.
 */

const ownAnswers: Readonly<Record<string, Read>> = {
  initialize: readInitialize,
  'session/prompt': readPrompt,
};

const notifications: Readonly<Record<string, Read>> = { 'elicitation/complete': readCompletion };

/** Fields that no program can read, by version. */
const unreadable = exceptionsOf('fields that no program can read');

interface Message {
  readonly name: string;
  /** The definition, for the published schema to judge the samples. */
  readonly def: string;
  readonly read: Read;
  readonly places: readonly FieldPlace[];
}

function messagesOf(version: 1 | 2): readonly Message[] {
  const defs = officialDefs(version);
  return Object.entries(defs).flatMap(([def, { 'x-method': method, 'x-side': side }]): readonly Message[] => {
    if (!method || side === 'proxy' || side === 'protocol') return [];
    if (method === 'session/update') return updatesOf(defs, def);
    const isAnswer = def.endsWith('Response');
    if (isAnswer !== (side === 'agent')) return [];
    const places = fieldPlaces(defs, { $ref: `#/$defs/${def}` }, def);
    if (isAnswer)
      return [
        { name: `the answer to ${method}`, def, read: ownAnswers[method] ?? readAnswer(method), places },
      ];
    const isRequest = def.endsWith('Request');
    const read = isRequest ? readRequest(method) : (notifications[method] ?? readNotification(method));
    return [{ name: method, def, read, places }];
  });
}

/** A message for each kind of update. */
function updatesOf(defs: Defs, def: string): readonly Message[] {
  const union = defs['SessionUpdate'];
  return (union?.oneOf ?? union?.anyOf ?? []).map((branch) => {
    const tag = tagOf(branch);
    const around = (update: unknown) => ({ sessionId: 's1', update });
    const beside = around(smallest(defs, branch));
    const places = [
      ...placesIn(fieldPlaces(defs, branch, tag), around),
      { field: `${def}._meta`, with: { ...beside, _meta: { beside: true } }, without: beside },
    ];
    return { name: `the update ${tag}`, def, read: readUpdate, places };
  });
}

function tagOf(branch: Schema): string {
  const tag = typeof branch === 'object' ? branch.properties?.['sessionUpdate'] : undefined;
  return typeof tag === 'object' ? String(tag.const ?? 'of an unknown kind') : '';
}

describe.each(versions)('messages of an agent of version %i', (version) => {
  const isValid = judge(officialDefs(version), { formats: true });
  const messages = messagesOf(version);

  it.each(messages)('$name: a program can read each field', async ({ name, def, read, places }) => {
    const hidden: string[] = [];
    for (const { field, with: one, without: other } of places) {
      expect([one, other].map((instance) => isValid(def, instance))).toEqual([true, true]);
      // Every message is an object.
      const seen = await Promise.all([one, other].map((instance) => read(version, instance as JsonObject)));
      if (isDeepStrictEqual(seen[0], seen[1])) hidden.push(field);
    }
    const excepted = unreadable.filter((place) => place.startsWith(`${version} ${name}: `));
    expect(hidden.map((field) => `${version} ${name}: ${field}`)).toEqual(excepted);
  });
});

/** The definitions that an agent sends: its answers, its requests and notifications, and all that these hold. */
function receivedDefs(defs: Defs): readonly string[] {
  const roots = Object.keys(defs).filter((name) => {
    const { 'x-side': side, 'x-method': method } = defs[name] ?? {};
    if (!method || side === 'proxy') return false;
    return name.endsWith('Response') ? side === 'agent' : side === 'client' || side === 'protocol';
  });
  return [...closure(defs, roots)];
}

describe.each(versions)('messages of an agent of version %i', (version) => {
  const official = officialDefs(version);
  const defs = patched(official, differences[version]);
  const accepts = judge(forgiving(defs), { formats: false });
  const read = reader(defs);
  const received = receivedDefs(official).filter((name) => Object.hasOwn(schemas[version], name));

  it.each(received)('%s is accepted as by the official schema', (name) => {
    const schema = schemas[version][name] as v.GenericSchema;
    const instances = instanceOf(defs, name);
    let valid = 0;
    fc.assert(
      fc.property(fc.oneof(instances, mutationsOf(instances)), (instance) => {
        const ours = v.safeParse(schema, instance);
        const theirs = read(name, instance);
        const accepted = theirs !== undefined;
        // `expect` takes longer than the rest of a run. The reader is a second opinion, and itself judged.
        if (accepted !== accepts(name, instance)) expect(accepted).toBe(!accepted);
        if (accepted !== ours.success)
          expect({ instance, accepted: ours.success }).toEqual({ instance, accepted });
        if (!theirs) return;
        valid += 1;
        if (!isDeepStrictEqual(ours.output, theirs.value)) expect(ours.output).toEqual(theirs.value);
        if (fits(schema, instance) && !isDeepStrictEqual(ours.output, instance))
          expect(ours.output).toEqual(instance);
      }),
      { numRuns: 200 },
    );
    expect(valid).toBeGreaterThan(0);
  });

  it.each(differences[version])('has a written reason for the difference: $def', ({ def, witness }) => {
    const before = reader(official)(def, witness);
    const after = read(def, witness);
    expect(after).not.toEqual(before);
    const schema = schemas[version][def];
    if (!schema) return;
    const ours = v.safeParse(schema, witness);
    expect(ours.success ? { value: ours.output } : undefined).toEqual(after);
  });
});
