import { printable } from '../base/printable.ts';

/** What a {@link TranscriptError} is about. Later versions can add codes. */
export type TranscriptErrorCode =
  /** There is no transcript with this id. */
  | 'transcript.not_found'
  /** A newer version of this library wrote it. */
  | 'transcript.newer'
  /** Nothing of it can be read. */
  | 'transcript.damaged'
  /** The directory cannot be used. `cause` is the error of the system. */
  | 'transcript.directory';

/**
 * A transcript cannot be read, or the directory cannot be used. Nothing was changed. It is not an `AcpError`, since no
 * agent is involved.
 */
export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';
  readonly code: TranscriptErrorCode;

  constructor(code: TranscriptErrorCode, message: string, options?: { readonly cause: unknown }) {
    // Ids are from agents. The message must be safe to write to a terminal.
    super(printable(message), options);
    this.code = code;
  }
}
