import * as v from './vocabulary.ts';

/**
 * The positions of a session. Newer than the published schemas: the names of the anchors and of their ids are concluded from
 * the types of other libraries. They are the same in both versions.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-cursors
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

/** @experimental */
export const CursorUpdate = v.struct({
  cursorId: v.string(),
  anchor: v.optionalNullable(CursorAnchor),
  capabilities: v.nullish(v.struct({ fork: v.marker, _meta: v.meta })),
  _meta: v.meta,
});
