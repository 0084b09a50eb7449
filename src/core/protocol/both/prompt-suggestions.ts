import * as v from 'valibot';
import { textAsBlocks } from '../suggestions-in-meta.ts';
import { lenientArray, meta, rewritten, struct, withDefault } from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

/** @see https://agentclientprotocol.com/rfds/prompt-suggestions */

/** @experimental */
export const PromptSuggestion = struct({
  prompt: rewritten(v.array(ContentBlock), textAsBlocks),
  _meta: meta,
});

/** @experimental */
export const PromptSuggestionsUpdate = struct({
  suggestions: withDefault(lenientArray(PromptSuggestion), []),
  _meta: meta,
});
