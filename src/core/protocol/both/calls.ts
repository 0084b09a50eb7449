import { omitNullish } from '../../base/json.ts';
import { type CallTable, call, command } from '../calls.ts';
import { omitUndefined } from '../encode.ts';
import * as methods from './methods.ts';

/** The calls that are equal in both versions. */
export const sharedCalls = {
  listSessions: call({
    descriptor: methods.listSessions,
    encode: omitUndefined,
    decode: ({ sessions, nextCursor, _meta }) => ({
      sessions: sessions.map(({ additionalDirectories, ...info }) => ({
        ...info,
        ...omitNullish({ additionalDirectories }),
      })),
      ...omitNullish({ nextCursor, _meta }),
    }),
  }),
  closeSession: command(methods.closeSession),
  deleteSession: command(methods.deleteSession),
  cancel: command(methods.cancel),
} satisfies Partial<CallTable>;
