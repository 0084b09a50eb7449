import { existsSync, readdirSync } from 'node:fs';
import { memoryStorage } from '../../records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../records/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../records/transcripts/transcripts.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { usageError } from './errors.ts';
import { transcriptsFolder } from './user-folders.ts';

/** Opens the transcripts, and makes their directory if there is none. What is damaged is a warning. */
export async function openToRecord(invocation: Invocation, context: Context): Promise<Transcripts> {
  const directory = folderOf(invocation, context);
  return openTranscripts({ directory, onDiagnostic: context.report });
}

/** Opens the transcripts to read or to remove them. A directory that does not exist has none, and is not made. */
export async function openToRead(invocation: Invocation, context: Context): Promise<Transcripts> {
  if (existsSync(folderOf(invocation, context))) return openToRecord(invocation, context);
  return openTranscripts({ storage: memoryStorage() });
}

/**
 * The directory of the transcripts.
 *
 * @throws {@link CommandError} if it has other files too: it is made private, which locks other users out of them.
 */
export function folderOf({ transcriptFolder }: Invocation, { host }: Context): string {
  if (transcriptFolder === undefined) return transcriptsFolder(host.env);
  const other = namesIn(transcriptFolder).find((name) => !/^\.|^index\.sqlite|\.jsonl$/.test(name));
  if (other === undefined) return transcriptFolder;
  throw usageError(
    `--directory: ${transcriptFolder} has other files than transcripts, such as ${other}. Name a directory that has only transcripts, or a new one.`,
  );
}

/** Empty also for a path that is not a directory: the error comes when it is opened. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
