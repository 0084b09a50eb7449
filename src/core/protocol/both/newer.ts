import * as v from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

/** What is newer than the published schemas, and the same in both versions. */

/** Some agents suggest a text where the proposal has blocks. */
const textAsBlocks = (prompt: unknown) =>
  typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;

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

/*
 * The positions of a session. The names of the anchors and of their ids are concluded from the types of other libraries.
 */

const place = { position: v.openEnum<'before' | 'after'>(), _meta: v.meta };

const messageAnchor = v.struct({ messageId: v.string(), ...place });

/** @experimental */
export const CursorAnchor = v.openVariant('type', {
  user_message: messageAnchor,
  agent_message: messageAnchor,
  agent_thought: messageAnchor,
  session_message: messageAnchor,
  tool_call: v.struct({ toolCallId: v.string(), ...place }),
  compaction: v.struct({ compactionId: v.string(), ...place }),
});

/**
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-cursors
 */
export const CursorUpdate = v.struct({
  cursorId: v.string(),
  anchor: v.optionalNullable(CursorAnchor),
  capabilities: v.nullish(v.struct({ fork: v.marker, _meta: v.meta })),
  _meta: v.meta,
});

/**
 * The schemas of the updates that are the same in both versions, by their `sessionUpdate`.
 *
 * @experimental
 */
export const newerUpdates = {
  prompt_suggestions_update: PromptSuggestionsUpdate,
  cursor_update: CursorUpdate,
};
