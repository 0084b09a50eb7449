import * as v from 'valibot';
import { marker, meta, nullish, openEnum, openVariant, optionalNullable, struct } from './vocabulary.ts';

/**
 * The positions of a session. Newer than the published schemas: the names of the anchors and of their ids are concluded from
 * the types of other libraries. They are the same in both versions.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-cursors
 */

const place = { position: openEnum<'before' | 'after'>(), _meta: meta };

const messageAnchor = struct({ messageId: v.string(), ...place });

/** @experimental */
export const CursorAnchor = openVariant('type', {
  user_message: messageAnchor,
  agent_message: messageAnchor,
  agent_thought: messageAnchor,
  session_message: messageAnchor,
  tool_call: struct({ toolCallId: v.string(), ...place }),
  compaction: struct({ compactionId: v.string(), ...place }),
});

/** @experimental */
export const CursorUpdate = struct({
  cursorId: v.string(),
  anchor: optionalNullable(CursorAnchor),
  capabilities: nullish(struct({ fork: marker, _meta: meta })),
  _meta: meta,
});
