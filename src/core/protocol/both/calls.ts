import { omitNullish } from '../../base/json.ts';
import type { SessionInfo as NeutralInfo } from '../../model/session.ts';
import { type CallTable, call, command } from '../calls.ts';
import { omitUndefined } from '../encode.ts';
import * as methods from './methods.ts';
import type { SessionInfo } from './session-list.ts';

function decodeInfo({ additionalDirectories, ...info }: SessionInfo): NeutralInfo {
  return additionalDirectories ? { ...info, additionalDirectories } : info;
}

/** The calls that are equal in both versions. */
export const sharedCalls = {
  listSessions: call({
    descriptor: methods.listSessions,
    encode: omitUndefined,
    decode: ({ sessions, nextCursor, _meta }) => ({
      sessions: sessions.map(decodeInfo),
      ...omitNullish({ nextCursor, _meta }),
    }),
  }),
  closeSession: command(methods.closeSession),
  deleteSession: command(methods.deleteSession),
  cancel: command(methods.cancel),
} satisfies Partial<CallTable>;
