/**
 * How much of the results of one session the agent leaves unread, in bytes. A result for which there is no room is not
 * kept, and its call gets an error instead.
 */
export const maxUnreadResultBytes = 32 * 1024 * 1024;

/** What the model reads, and the editor, about a result for which there is no room. */
export const unreadReason = `More than ${maxUnreadResultBytes / 2 ** 20} MiB of answers are not read. Read them, and call again.`;

/** The room that one result takes. */
export type ResultRoom = ReturnType<UnreadResults['room']>;

/** The results of one session that the agent has not read, whichever way it gets them. */
export class UnreadResults {
  #bytes = 0;

  /** The room of one more result. */
  room() {
    let own = 0;
    return {
      /** Takes more room. Returns whether there is as much. A result has room if it is the only one. */
      take: (bytes: number): boolean => {
        const others = this.#bytes - own;
        if (others > 0 && this.#bytes + bytes > maxUnreadResultBytes) return false;
        own += bytes;
        this.#bytes += bytes;
        return true;
      },
      /** Gives all of it back. */
      release: () => {
        this.#bytes -= own;
        own = 0;
      },
    };
  }
}
