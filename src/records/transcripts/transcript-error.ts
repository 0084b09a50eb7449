import { printable } from '../../core/base/printable.ts';

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

/**
 * The error for a transcript of which nothing can be read.
 *
 * @param name - The id of the transcript, or its file.
 * @param why - Which line is damaged, and why.
 */
export function damagedTranscript(name: string, why: string): TranscriptError {
  return new TranscriptError(
    'transcript.damaged',
    `Nothing of the transcript ${JSON.stringify(name)} can be read: ${why}. Restore its file from a copy, or remove the transcript with \`remove\`.`,
  );
}

/** The error for a transcript of a version of the format that this library does not read. */
export function newerTranscript(name: string, version: number): TranscriptError {
  return new TranscriptError(
    'transcript.newer',
    `The transcript ${JSON.stringify(name)} has version ${version} of the format, which this version of acp-client-sdk cannot read. Nothing was changed. Update acp-client-sdk.`,
  );
}
