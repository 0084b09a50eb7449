import * as v from 'valibot';
import { textAsBlocks } from '../suggestions-in-meta.ts';
import {
  absolutePath,
  lenientArray,
  meta,
  optional,
  optionalNullable,
  rewritten,
  struct,
  withDefault,
} from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

/** What is newer than the published schemas, and the same in both versions. */

/**
 * @experimental
 * @see https://agentclientprotocol.com/rfds/prompt-suggestions
 */
export const PromptSuggestion = struct({
  prompt: rewritten(v.array(ContentBlock), textAsBlocks),
  _meta: meta,
});

/** @experimental */
export const PromptSuggestionsUpdate = struct({
  suggestions: withDefault(lenientArray(PromptSuggestion), []),
  _meta: meta,
});

/**
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */
export const SessionOptionsRequest = struct({
  cwd: absolutePath,
  additionalDirectories: optional(v.array(absolutePath)),
  sessionId: optionalNullable(v.string()),
  _meta: meta,
});

/** A reference to a session, such as the subagent that a tool call started. */
export const SessionReference = struct({ sessionId: v.string(), _meta: meta });
