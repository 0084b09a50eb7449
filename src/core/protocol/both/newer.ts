import { textAsBlocks } from '../suggestions-in-meta.ts';
import * as v from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

/** What is newer than the published schemas, and the same in both versions. */

/**
 * @experimental
 * @see https://agentclientprotocol.com/rfds/prompt-suggestions
 */
export const PromptSuggestion = v.struct({
  prompt: v.rewritten(v.array(ContentBlock), textAsBlocks),
  _meta: v.meta,
});

/** @experimental */
export const PromptSuggestionsUpdate = v.struct({
  suggestions: v.withDefault(v.lenientArray(PromptSuggestion), []),
  _meta: v.meta,
});

/**
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */
export const SessionOptionsRequest = v.struct({
  cwd: v.absolutePath,
  additionalDirectories: v.optional(v.array(v.absolutePath)),
  sessionId: v.optionalNullable(v.string()),
  _meta: v.meta,
});

/** A reference to a session, such as the subagent that a tool call started. */
export const SessionReference = v.struct({ sessionId: v.string(), _meta: v.meta });
