import * as v from 'valibot';
import { lenientArray, meta, struct, withDefault } from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

/** @see https://agentclientprotocol.com/rfds/prompt-suggestions */

/** @experimental */
export const PromptSuggestion = struct({ prompt: v.array(ContentBlock), _meta: meta });

/** @experimental */
export const PromptSuggestionsUpdate = struct({
  suggestions: withDefault(lenientArray(PromptSuggestion), []),
  _meta: meta,
});
