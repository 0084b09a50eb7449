/**
 * How much of the results of one session the agent leaves unread, in bytes. A result for which there is no room is not
 * kept, and its call gets an error instead.
 */
export const maxUnreadResultBytes = 32 * 1024 * 1024;

/** What the model reads, and the editor, about a result for which there is no room. */
export const unreadReason = (maxBytes = maxUnreadResultBytes) =>
  `More than ${maxBytes / 2 ** 20} MiB of answers are not read. Read them, and call again.`;

/** The room that one result takes. */
export type ResultRoom = ReturnType<ReturnType<typeof unreadResults>['room']>;

/** The results of one session that the agent has not read, whichever way it gets them. */
export function unreadResults(maxBytes = maxUnreadResultBytes) {
  let all = 0;
  return {
    reason: unreadReason(maxBytes),
    /** The room of one more result. */
    room() {
      let own = 0;
      return {
        /** Takes more room. Returns whether there is as much. A result has room if it is the only one. */
        take(bytes: number): boolean {
          if (all > own && all + bytes > maxBytes) return false;
          own += bytes;
          all += bytes;
          return true;
        },
        /** Gives all of it back. */
        release(): void {
          all -= own;
          own = 0;
        },
      };
    },
  };
}
