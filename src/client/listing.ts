import { InvalidMessageError } from '../errors.ts';
import type { SessionInfo } from '../model/session.ts';
import type { ListSessionsParams, SessionPage } from '../protocol/calls.ts';
import type { Caller, CallOptions } from './calls.ts';
import { assertParameters } from './parameters.ts';

/** The sessions that an agent knows, page by page. */
export interface SessionListing extends AsyncIterable<SessionInfo> {
  /** One page. Without a cursor it is the first one. */
  page(cursor?: string): Promise<SessionPage>;
}

const keys = ['cwd', 'cursor', 'archived', '_meta'];

/** The pages of `session/list`, fetched when they are needed. Cursors are passed on unchanged. */
export function listSessions(
  caller: Caller,
  params: ListSessionsParams,
  options: CallOptions,
): SessionListing {
  const page = async (cursor?: string): Promise<SessionPage> => {
    assertParameters('listSessions', params, keys);
    return caller.prepare('listSessions', { ...params, ...(cursor !== undefined && { cursor }) }, options)();
  };
  return {
    page,
    async *[Symbol.asyncIterator]() {
      // The first page may end where it began.
      const seen = new Set(params.cursor === undefined ? [] : [params.cursor]);
      let cursor = params.cursor;
      for (;;) {
        const { sessions, nextCursor } = await page(cursor);
        yield* sessions;
        if (nextCursor === undefined) return;
        if (seen.has(nextCursor)) throw endless(nextCursor);
        seen.add(nextCursor);
        cursor = nextCursor;
      }
    },
  };
}

function endless(cursor: string): InvalidMessageError {
  return new InvalidMessageError(
    `The agent gave the cursor ${JSON.stringify(cursor)} of session/list twice, so its pages have no end. Listing stopped.`,
    { method: 'session/list' },
  );
}
