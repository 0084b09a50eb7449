import type { DiagnosticListener } from '../../core/base/diagnostic.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ExportFormat } from './export.ts';
import type { PruneOptions } from './prune.ts';
import type { ReopenedSession, ReopenOptions } from './reopen.ts';
import type { TranscriptFilter, TranscriptStorage } from './storage.ts';
import type { TranscriptHit, TranscriptInfo } from './transcript.ts';

/** Where transcripts are kept, and who hears of problems. */
export type TranscriptsOptions = (
  | {
      /**
       * A directory of its own for the transcripts. It is made if there is none, and only this user can enter it then.
       * Several programs may use it at the same time.
       */
      readonly directory: string;
      readonly storage?: undefined;
    }
  | {
      /** A storage that is not a directory. */
      readonly storage: TranscriptStorage;
      readonly directory?: undefined;
    }
) & {
  /**
   * Takes the diagnostics `transcripts.not_written`, once for each time in which a transcript cannot be written, and
   * `transcripts.damaged`, once for each damaged file. Default for what a recording finds: the `onDiagnostic` of the
   * session's connection.
   */
  readonly onDiagnostic?: DiagnosticListener | undefined;
};

/** Transcripts of sessions. They can be read, searched and exported without the agent. */
export interface Transcripts extends AsyncDisposable {
  /**
   * Records a session: what is there already, and everything that changes from now on. Changes are written in batches, at
   * most a tenth of a second later. A recording never delays the session, and a storage that fails is a diagnostic. A
   * session is recorded from its first entry on. Has no effect on a session that is being recorded.
   *
   * @returns A function that ends the recording. Its promise resolves when everything is written, and never rejects.
   *   `close` calls it, and the end of the session does.
   *
   * @example
   * ```ts
   * const stop = transcripts.record(session);
   * await session.prompt('Is 1900 a leap year?');
   * await stop();
   * ```
   */
  record(session: Session): () => Promise<void>;

  /**
   * The transcripts, the one that changed last first. A file without a header that belongs to its name is not listed, and is
   * a diagnostic.
   *
   * @example
   * ```ts
   * for await (const { id, title, updatedAt } of transcripts.list({ cwd })) console.log(id, title, updatedAt);
   * ```
   */
  list(filter?: TranscriptFilter): AsyncIterable<TranscriptInfo>;

  /**
   * The conversation of a transcript, as frozen data. Of a session that is being recorded it is what the last batch has. If
   * a file of it is damaged, it ends before the damaged line, and an entry of the kind `turnFailure` at its end says so.
   *
   * @throws {@link TranscriptError} if there is no such transcript, if nothing of it can be read, or if a newer version of
   *   this library wrote it.
   */
  read(id: string): Promise<Conversation>;

  /**
   * Searches the text of all transcripts: messages, titles, arguments and output of tools, files, terminals. Upper and
   * lower case are the same. The words must follow each other, with only spaces and punctuation between them. A match
   * begins where a word begins, or a part of a name such as `Leap` in `isLeapYear`. The last word may be incomplete.
   * A text has at most 5,000 characters.
   *
   * There is one hit for each entry, in the order of `list` and then of the transcript. What is damaged is a diagnostic, and
   * the search goes on.
   *
   * @example
   * ```ts
   * for await (const { id, text, match } of transcripts.search('leap year', { cwd })) {
   *   console.log(id, text.slice(match.start, match.end));
   * }
   * ```
   */
  search(text: string, filter?: TranscriptFilter): AsyncIterable<TranscriptHit>;

  /**
   * Continues a session. The agent loads it if it has it, and what it replays and what was saved become one transcript.
   * Otherwise the agent resumes it with the saved conversation. Otherwise the transcript is for reading only. The session
   * is not recorded until you call `record`.
   *
   * @throws {@link TranscriptError} as `read` does.
   * @throws {@link AuthRequiredError} if the user must log in first.
   * @throws {@link ConnectionClosedError} if the connection ends.
   *
   * @example
   * ```ts
   * const { session, continued, reason } = await transcripts.reopen(id, connection);
   * if (continued === 'none') showReadOnly(reason);
   * ```
   */
  reopen(id: string, connection: ClientConnection, options?: ReopenOptions): Promise<ReopenedSession>;

  /**
   * A transcript as a text: as JSON that `importConversation` reads, as Markdown, as one page of HTML, or as plain text.
   *
   * @throws {@link TranscriptError} as `read` does.
   */
  export(id: string, options: { readonly format: ExportFormat }): Promise<string>;

  /**
   * Removes a transcript with everything that is left of it. Its recording here ends. A recording in
   * another program brings it back with the next change. If there is no such transcript, it resolves too.
   *
   * @throws {@link TranscriptError} if the directory cannot be written. Remove it again then.
   */
  remove(id: string): Promise<void>;

  /**
   * Removes old transcripts. Those that are being recorded, and those of newer versions of this library, stay.
   *
   * @returns The ids of the transcripts that were removed.
   * @throws {@link InvalidParamsError} if there is no option: nothing says what is old.
   * @throws {@link TranscriptError} as `remove` does. The transcripts before it are removed.
   *
   * @example
   * ```ts
   * const month = 30 * 24 * 60 * 60 * 1000;
   * await transcripts.prune({ olderThan: new Date(Date.now() - month), maxBytes: 2 ** 30, keep: 20 });
   * ```
   */
  prune(options: PruneOptions): Promise<readonly string[]>;

  /**
   * Ends all recordings and searches, and releases the storage. Resolves when everything is written. Never rejects.
   */
  close(): Promise<void>;
}
