import { InvalidMessageError } from '../base/errors.ts';
import { readInput } from '../base/options.ts';
import type { SessionInfo } from '../model/session.ts';
import type { ListSessionsParams, SessionPage } from '../protocol/calls.ts';
import type { CallOptions } from './calls/call-options.ts';
import type { Caller } from './calls/calls.ts';
import { assertParameters } from './calls/parameters.ts';

/** The sessions that an agent knows, page by page. */
export interface SessionListing extends AsyncIterable<SessionInfo> {
  /** Requests one page. Without a cursor, the first page. */
  page(cursor?: string): Promise<SessionPage>;
  /** Requests all pages, and resolves with all sessions in the agent's order. */
  all(): Promise<readonly SessionInfo[]>;
}

const keys = ['cwd', 'cursor', 'archived', '_meta'];

/**
 * The pages of `session/list`, fetched when they are needed. Cursors are passed on unchanged.
 *
 * @param withSite - Names the user's call in an error of it.
 */
export function listSessions(
  caller: Caller,
  params: ListSessionsParams,
  options: CallOptions,
  withSite: (error: unknown) => unknown,
): SessionListing {
  const page = async (cursor?: string): Promise<SessionPage> => {
    try {
      assertParameters('listSessions', params, keys);
      const input = readInput(() => ({ ...params, ...(cursor !== undefined && { cursor }) }));
      return await caller.prepare('listSessions', input, options)();
    } catch (error) {
      throw withSite(error);
    }
  };
  const listing: SessionListing = {
    page,
    async all() {
      const found: SessionInfo[] = [];
      for await (const session of listing) found.push(session);
      return found;
    },
    async *[Symbol.asyncIterator]() {
      const seen = new Set<string>();
      let cursor: string | undefined;
      for (;;) {
        const { sessions, nextCursor } = await page(cursor);
        yield* sessions;
        if (nextCursor === undefined) return;
        // The first page may end where it began.
        if (params.cursor !== undefined) seen.add(params.cursor);
        if (seen.has(nextCursor)) {
          const message = `The agent gave the cursor ${JSON.stringify(nextCursor)} of session/list twice, so its pages have no end. Listing stopped.`;
          throw withSite(new InvalidMessageError(message, { method: 'session/list' }));
        }
        seen.add(nextCursor);
        cursor = nextCursor;
      }
    },
  };
  return listing;
}
