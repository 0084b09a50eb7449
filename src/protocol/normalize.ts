import * as v from 'valibot';
import { issuesIn } from '../issue.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type ConversationUpdate, unknownUpdate } from '../model/update.ts';
import type { NormalizedUpdate } from './dialect.ts';
import { fitting } from './vocabulary.ts';

type Schemas = Readonly<Record<string, v.GenericSchema>>;

type Update<S extends Schemas, T extends keyof S & string> = {
  readonly sessionUpdate: T;
} & v.InferOutput<S[T]>;

type Normalizer<S extends Schemas, T extends keyof S & string> = (update: Update<S, T>) => ConversationUpdate;

/** For each update of a version, what it says in neutral words. What says the same in them needs no line. */
export type Normalizers<S extends Schemas> = {
  readonly [T in keyof S & string]?: Normalizer<S, T>;
} & {
  readonly [T in keyof S & string as Update<S, T> extends ConversationUpdate ? never : T]: Normalizer<S, T>;
};

/**
 * Makes the reader of one version's updates.
 *
 * An update that fits its schema is handed on without a copy. Another is read leniently, after `upgradeDraft` took the
 * spellings that this version had, or shows by mistake, to today's. What no schema is given for is kept as it came.
 */
export function createNormalizer<const S extends Schemas>(
  schemas: S,
  normalizers: Normalizers<S>,
  upgradeDraft: (update: JsonObject) => JsonObject,
): (update: unknown) => NormalizedUpdate {
  // Each normalizer takes what the schema of its tag gives, which is what it is called with below.
  const table = new Map(
    Object.keys(schemas).map((tag) => [
      tag,
      {
        schema: schemas[tag] as v.GenericSchema,
        fits: fitting(schemas[tag] as v.GenericSchema),
        normalize: (normalizers[tag] ?? same) as (update: unknown) => ConversationUpdate,
      },
    ]),
  );
  return (update) => {
    if (!isJsonObject(update)) return malformed('update', 'must be an object');
    const tag = update['sessionUpdate'];
    if (typeof tag !== 'string') return malformed('update.sessionUpdate', 'must be a string');
    const entry = table.get(tag);
    if (!entry) return { update: unknownUpdate(update) };
    if (entry.fits(update)) return { update: entry.normalize(update) };
    const result = v.safeParse(entry.schema, upgradeDraft(update));
    if (!result.success) return { update: undefined, issues: issuesIn(result.issues, 'update') };
    return { update: entry.normalize(result.output) };
  };
}

function malformed(path: string, message: string): NormalizedUpdate {
  return { update: undefined, issues: [{ path, message }] };
}

/** The normalize of an update that says the same in the neutral words. */
export const same = <T>(update: T): T => update;
