import * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { PromptSuggestionsUpdate as Suggestions } from '../model/update.ts';
import { PromptSuggestionsUpdate } from './both/newer.ts';

const key = 'promptSuggestions';

/** The metadata of an update, if it has suggestions. An agent withdraws them with an empty list or `null`. */
function metaWithSuggestions({ _meta }: JsonObject): JsonObject | undefined {
  if (!isJsonObject(_meta) || !Object.hasOwn(_meta, key)) return undefined;
  return Array.isArray(_meta[key]) || _meta[key] === null ? _meta : undefined;
}

/**
 * The suggestions in the metadata of a `session_info_update`, as an update of their own. Agents send them there that do
 * not have `prompt_suggestions_update` yet: a list of texts, or of objects with a `prompt`. A convention, and not part
 * of the specification.
 */
export function suggestionsInMeta(update: JsonObject): readonly Suggestions[] | undefined {
  const meta = metaWithSuggestions(update);
  if (!meta) return undefined;
  const items: readonly unknown[] = Array.isArray(meta[key]) ? meta[key] : [];
  const suggestions = items.map((item) => (typeof item === 'string' ? { prompt: item } : item));
  return [
    { sessionUpdate: 'prompt_suggestions_update', ...v.parse(PromptSuggestionsUpdate, { suggestions }) },
  ];
}

/** The update without them: the metadata of the session would keep them after the next prompt. */
export function withoutSuggestions<T extends { readonly _meta?: JsonObject | null }>(update: T): T {
  const meta = metaWithSuggestions(update as JsonObject);
  if (!meta) return update;
  const { _meta: _, ...rest } = update;
  const { [key]: __, ...others } = meta;
  // Without other metadata there is no patch: `{}` would make the metadata of the session an object.
  return (Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest) as T;
}
