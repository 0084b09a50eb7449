import { omitNullish } from '../../base/json.ts';
import type { SessionInfo as NeutralInfo } from '../../model/session.ts';
import { type CallTable, call, command } from '../calls.ts';
import { omitUndefined } from '../encode.ts';
import { deleteSession } from './session-delete.ts';
import { listSessions, type SessionInfo } from './session-list.ts';
import { closeSession } from './session-setup.ts';

function decodeInfo({ additionalDirectories, ...info }: SessionInfo): NeutralInfo {
  return additionalDirectories ? { ...info, additionalDirectories } : info;
}

/** The calls that are equal in both versions. */
export const sharedCalls = {
  listSessions: call({
    descriptor: listSessions,
    encode: omitUndefined,
    decode: ({ sessions, nextCursor, _meta }) => ({
      sessions: sessions.map(decodeInfo),
      ...omitNullish({ nextCursor, _meta }),
    }),
  }),
  closeSession: command(closeSession),
  deleteSession: command(deleteSession),
} satisfies Partial<CallTable>;
