import { InvalidMessageError, RemoteError } from '../base/errors.ts';
import { readInput } from '../base/options.ts';
import type { SessionInfo } from '../model/session.ts';
import type { ListSessionsParams, SessionPage } from '../protocol/calls.ts';
import * as rpcCodes from '../rpc/codes.ts';
import type { CallOptions } from './calls/call-options.ts';
import type { Caller } from './calls/calls.ts';
import { assertParameters } from './calls/parameters.ts';

/** How many pages in a row may have no session that is new. */
const maxPagesWithoutNew = 50;

/**
 * The sessions that an agent knows, page by page. A loop over them has each session once, also if the agent is started
 * again meanwhile and refuses its earlier cursor: the loop then begins at the first page. It ends with an
 * `InvalidMessageError` if the pages have no end: the agent repeats a cursor, or 50 pages in a row have no session that is
 * new.
 */
export interface SessionListing extends AsyncIterable<SessionInfo> {
  /** Requests one page. Without a cursor, the first page. */
  page(cursor?: string): Promise<SessionPage>;
  /** Requests all pages, and resolves with all sessions in the agent's order. A loop also has those before an error. */
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
      const listed = new Set<string>();
      let seen = new Set<string>();
      let found = new Set<string>();
      let pagesWithoutNew = 0;
      let cursor: string | undefined;
      let giver = caller.link;
      const noEnd = (what: string) => {
        const message = `The agent gave ${what} of session/list, so its pages have no end. Listing stopped after ${listed.size} sessions.`;
        return withSite(new InvalidMessageError(message, { method: 'session/list' }));
      };
      for (;;) {
        const answer = await page(cursor).catch((error: unknown) => {
          if (cursor === undefined || caller.link === giver || !isWrongCursor(error)) throw error;
        });
        giver = caller.link;
        if (!answer) {
          // A new process need not know the cursors of the one before.
          cursor = undefined;
          [seen, found] = [new Set(), new Set()];
          continue;
        }
        const { sessions, nextCursor } = answer;
        pagesWithoutNew++;
        for (const session of sessions) {
          const { sessionId } = session;
          if (!found.has(sessionId)) pagesWithoutNew = 0;
          found.add(sessionId);
          if (listed.has(sessionId)) continue;
          listed.add(sessionId);
          yield session;
        }
        if (nextCursor === undefined) return;
        if (pagesWithoutNew >= maxPagesWithoutNew) {
          throw noEnd(`${maxPagesWithoutNew} pages in a row without a session that is new`);
        }
        // The first page may end where it began.
        if (params.cursor !== undefined) seen.add(params.cursor);
        if (seen.has(nextCursor)) throw noEnd(`the cursor ${JSON.stringify(nextCursor)} twice in the pages`);
        seen.add(nextCursor);
        cursor = nextCursor;
      }
    },
  };
  return listing;
}

/** Whether the agent refused a page for its cursor, as far as an error says it. */
function isWrongCursor(error: unknown): boolean {
  return error instanceof RemoteError && error.rpcCode === rpcCodes.invalidParams;
}
