/** Name and version of the agent whose session was recorded. */
export interface AgentIdentity {
  readonly name: string;
  readonly version: string;
  /** The name to show. Absent if the agent does not report one. */
  readonly title?: string | undefined;
}

/** A transcript in a list. */
export interface TranscriptInfo {
  /**
   * What the other methods take: the id of the session. If another agent or an earlier session has a transcript with this
   * id, the name of the agent or the time of the creation follows in parentheses.
   */
  readonly id: string;
  readonly sessionId: string;
  /** The agent's title of the session, or the beginning of the first prompt. `null` if there is neither. */
  readonly title: string | null;
  /** `null` if the agent did not report its name. */
  readonly agent: AgentIdentity | null;
  /** The working directory of the session. */
  readonly cwd: string;
  /** When the conversation changed last, in ISO 8601 and UTC. Empty if its file does not say that any more. */
  readonly updatedAt: string;
  /** How much the transcript takes in the storage, in bytes. */
  readonly bytes: number;
  /** Whether a newer version of this library wrote it. It can be removed, and is not read, pruned or changed. */
  readonly isNewer: boolean;
}

/** A place in a transcript that a search has found. */
export interface TranscriptHit {
  /** The transcript. */
  readonly id: string;
  /** The `key` of the entry in the conversation that `read` returns. */
  readonly entryKey: string;
  /** The line with the match. A long line is shortened to the surroundings of the match, with `…` where it was cut. */
  readonly text: string;
  /** Where the match is in `text`, as for `text.slice(start, end)`. */
  readonly match: { readonly start: number; readonly end: number };
}
