import * as v from 'valibot';
import type { ValidationIssue } from '../base/errors.ts';
import { issuesIn } from '../base/issue.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { AnyUpdate } from '../model/client-update.ts';
import type { PendingPermission } from '../model/permission.ts';
import type { ConversationUpdate, ToolCallUpdate } from '../model/update.ts';
import { compileCheck } from './compiled-check.ts';
import { droppedParts } from './dropped.ts';
import { mapItems, type Upgrade } from './upgrade.ts';
import type { Schema } from './vocabulary.ts';

/** An update in the version-neutral model, or the reasons why it could not be read. */
export type NormalizedUpdate =
  | {
      readonly update: ConversationUpdate;
      /** Further updates that the message contains. Fold them after `update`. */
      readonly more?: readonly AnyUpdate[];
      /** The malformed parts, which were dropped or replaced by unknown content. Absent if there are none. */
      readonly dropped?: readonly ValidationIssue[];
    }
  | { readonly update: undefined; readonly issues: readonly ValidationIssue[] };

/** A permission request in the version-neutral model. */
export interface NormalizedPermission extends PendingPermission {
  readonly sessionId: string;
  /** The tool call in the request. Fold it before the user is asked. */
  readonly toolCall: ToolCallUpdate | null;
  readonly subject: PermissionSubject | null;
  readonly _meta?: JsonObject;
  /** The malformed parts, which were dropped or replaced by unknown content. Absent if there are none. */
  readonly dropped?: readonly ValidationIssue[];
}

/** What a permission request is about, if it has more than a title. */
export type PermissionSubject =
  | { readonly type: 'tool_call'; readonly toolCallId: string; readonly _meta?: JsonObject | null }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly cwd: string;
      readonly toolCallId?: string | null;
      readonly terminalId?: string | null;
      readonly _meta?: JsonObject | null;
    }
  | { readonly type: `_${string}`; readonly [key: string]: unknown };

type Schemas = Readonly<Record<string, v.GenericSchema>>;

type Update<S extends Schemas, T extends keyof S & string> = {
  readonly sessionUpdate: T;
} & v.InferOutput<S[T]>;

type Normalizer<S extends Schemas, T extends keyof S & string> = (update: Update<S, T>) => ConversationUpdate;

/** Converts each update of a version to the neutral model. Updates that are equal in both need no entry. */
export type Normalizers<S extends Schemas> = {
  readonly [T in keyof S & string]?: Normalizer<S, T>;
} & {
  readonly [T in keyof S & string as Update<S, T> extends ConversationUpdate ? never : T]: Normalizer<S, T>;
};

/** Reads further updates from an update that fits its schema, or was made to fit. */
export type Further = (update: JsonObject) => readonly AnyUpdate[] | undefined;

/** The key of a list of content in an object, and the schema of its items. */
export interface ContentList {
  readonly key: string;
  readonly item: v.GenericSchema;
}

/**
 * Creates the `normalize` function of one version.
 *
 * An update that fits its schema is passed on without a copy. Any other known update is parsed leniently, after
 * `upgradeDraft` has replaced the spellings of earlier drafts. An update without a schema is kept unchanged.
 *
 * @param contentLists - The lists of content, by the tag of their update. Their malformed items are kept.
 * @param further - What an update contains beside itself, by its tag.
 */
export function createNormalizer<const S extends Schemas>(
  schemas: S,
  normalizers: Normalizers<S>,
  contentLists: Readonly<Record<string, ContentList>>,
  upgradeDraft: (update: JsonObject) => JsonObject,
  further: Readonly<Record<string, Further>>,
): (update: unknown) => NormalizedUpdate {
  const table = new Map(
    Object.entries<v.GenericSchema>(schemas).map(([tag, schema]) => {
      // The normalizer of a tag is only called with what the schema of the tag produced.
      const normalize = (normalizers[tag] ?? identity) as (update: unknown) => ConversationUpdate;
      return [tag, { schema, fits: compileCheck(schema), read: reader(normalize, further[tag]) }];
    }),
  );
  return (update) => {
    if (!isJsonObject(update)) return malformed('update', 'must be an object');
    const tag = update['sessionUpdate'];
    if (typeof tag !== 'string') return malformed('update.sessionUpdate', 'must be a string');
    const entry = table.get(tag);
    if (!entry) return { update: { sessionUpdate: '_unknown', update } };
    if (entry.fits(update)) return entry.read(update);
    const upgraded = upgradeDraft(update);
    const list = Object.hasOwn(contentLists, tag) ? contentLists[tag] : undefined;
    const result = v.safeParse(entry.schema, list ? keepMalformed(upgraded, list) : upgraded);
    if (!result.success) return { update: undefined, issues: issuesIn(result.issues, 'update') };
    const dropped = droppedParts(entry.schema, upgraded, 'update');
    // The schema of an update is that of an object.
    return { ...entry.read(result.output as JsonObject), ...(dropped.length > 0 && { dropped }) };
  };
}

/** The schemas with further updates have a function of their own, so that the others, such as chunks, pay nothing. */
function reader(
  normalize: (update: unknown) => ConversationUpdate,
  further: Further | undefined,
): (update: JsonObject) => NormalizedUpdate {
  if (!further) return (update) => ({ update: normalize(update) });
  return (update) => {
    const more = further(update);
    return more ? { update: normalize(update), more } : { update: normalize(update) };
  };
}

function malformed(path: string, message: string): NormalizedUpdate {
  return { update: undefined, issues: [{ path, message }] };
}

/**
 * Replaces the malformed items of a list of content by unknown content, so that the user sees that there was something.
 * A tool call whose only diff is malformed must not look like a tool call without a diff.
 */
export function keepMalformed(object: JsonObject, { key, item }: ContentList): JsonObject {
  const kept = mapItems(object, key, (value) =>
    v.safeParse(item, value).success ? value : { type: '_malformed', value },
  );
  // Only tool calls have locations. One that is malformed must not make it look as if there were only the others.
  return mapItems(kept, 'locations', (value) =>
    isJsonObject(value) && typeof value['path'] === 'string' ? value : { path: JSON.stringify(value) },
  );
}

/** Reads the parameters of a permission request. `keep` keeps their malformed content. */
export function readPermission<T>(
  schema: Schema<T>,
  params: unknown,
  keep: Upgrade,
  read: (output: T) => NormalizedPermission,
): NormalizedPermission | readonly ValidationIssue[] {
  const result = v.safeParse(schema, isJsonObject(params) ? keep(params) : params);
  if (!result.success) return issuesIn(result.issues, 'params');
  const dropped = droppedParts(schema, params, 'params');
  return { ...read(result.output), ...(dropped.length > 0 && { dropped }) };
}

/** Converts a value that is equal on the wire and in the neutral model. */
export const identity = <T>(value: T): T => value;
