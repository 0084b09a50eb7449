import type * as v from 'valibot';
import { isJsonObject } from '../base/json.ts';
import { compiledOnce, marksOf, selectVariant, shapeOf } from './schema-shape.ts';

/** Converts a path or a URI. Returns any other text unchanged. */
export type ConvertPath = (path: string) => string;

/**
 * Replaces the paths in a value, as its schema marks them. What does not match the schema stays as it is. Parts without
 * a replaced path keep their identity.
 */
export function replacePaths<T>(schema: v.GenericSchema, value: T, convert: ConvertPath): T {
  // The schema marks strings only, and a string replaces each of them.
  return replacementIn(schema)(value, convert) as T;
}

type Replace = (value: unknown, convert: ConvertPath) => unknown;

const replacementIn = compiledOnce(compile);

/** For a schema in which no path is marked. */
const nothing: Replace = (value) => value;

const text: Replace = (value, convert) => (typeof value === 'string' ? convert(value) : value);

function compile(schema: v.GenericSchema): Replace {
  const shape = shapeOf(schema);
  const { namesFile, strict, item, rewriting, variants } = marksOf(schema);
  if (namesFile) return text;
  if (strict) return replacementIn(strict);
  if (item) return inEachItem(replacementIn(item));
  if (rewriting) return replacementIn(rewriting.schema);
  if (variants) return (value, convert) => replacePaths(selectVariant(variants, value), value, convert);
  if (shape.type === 'lazy') return (value, convert) => replacePaths(shape.getter(value), value, convert);
  if (shape.type === 'nullable' || shape.type === 'exact_optional') return replacementIn(shape.wrapped);
  if (shape.type === 'array') return inEachItem(replacementIn(shape.item));
  if (shape.type === 'record') return inEachField(() => replacementIn(shape.value));
  // The protocol has no union with a path.
  if (shape.type !== 'loose_object') return nothing;
  const fields = new Map(
    // valibot also declares schemas that resolve later, which the vocabulary does not have.
    Object.entries(shape.entries).map(([key, entry]) => [key, replacementIn(entry as v.GenericSchema)]),
  );
  return inEachField((key) => fields.get(key) ?? nothing);
}

function inEachItem(replace: Replace): Replace {
  if (replace === nothing) return nothing;
  return (list, convert) => {
    if (!Array.isArray(list)) return list;
    const items = list.map((item) => replace(item, convert));
    return items.some((item, index) => item !== list[index]) ? items : list;
  };
}

function inEachField(replaceIn: (key: string) => Replace): Replace {
  return (object, convert) => {
    if (!isJsonObject(object)) return object;
    const changed = Object.entries(object).flatMap(([key, value]) => {
      const replaced = replaceIn(key)(value, convert);
      return replaced === value ? [] : [[key, replaced]];
    });
    return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
  };
}
