import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/base/json.ts';

/** A folder for each release: what its users wrote, recorded and saved. `record.long.test.ts` writes it. */
export const folder = import.meta.dirname;

export const versions: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/**
 * What this version does differently on purpose, by `<version>/<program>` or `<version>/<recording>`, with the reason. In a
 * minor version it can only be an experimental part, or a result that was wrong.
 */
export const accepted: Readonly<Record<string, string>> = {};

export function isAccepted(version: string, name: string): boolean {
  return accepted[`${version}/${name}`] !== undefined;
}

/** What a user of a release has. */
export interface Release {
  /** The programs of its documents, by page and number, with the declarations of what the text introduces. */
  readonly programs: Readonly<Record<string, string>>;
  readonly recordings: readonly Recorded[];
}

/** A recording, and the conversations that the editor had and saved at its end. */
export interface Recorded {
  readonly name: string;
  /** The recording, with one record per line. */
  readonly traffic: string;
  readonly conversations: readonly JsonObject[];
  /** The files of the transcripts that the editor kept, one for each conversation. */
  readonly transcripts: readonly TranscriptText[];
}

/** A file of a transcript. */
export interface TranscriptText {
  readonly file: string;
  readonly text: string;
}

/** The paths of the files of a release. */
export function filesOf(version: string) {
  const own = join(folder, version);
  return {
    programs: join(own, 'programs.json'),
    recordings: join(own, 'recordings'),
    recording: (name: string) => join(own, 'recordings', `${name}.ndjson`),
    conversations: (name: string) => join(own, 'conversations', `${name}.json`),
    transcripts: join(own, 'transcripts.json'),
  };
}

export function readRelease(version: string): Release {
  const files = filesOf(version);
  const transcripts: Readonly<Record<string, readonly TranscriptText[]>> = JSON.parse(
    readFileSync(files.transcripts, 'utf8'),
  );
  const names = readdirSync(files.recordings).map((name) => name.replace(/\.ndjson$/, ''));
  return {
    programs: JSON.parse(readFileSync(files.programs, 'utf8')),
    recordings: names.map((name) => ({
      name,
      traffic: readFileSync(files.recording(name), 'utf8'),
      conversations: JSON.parse(readFileSync(files.conversations(name), 'utf8')),
      transcripts: transcripts[name] ?? [],
    })),
  };
}
