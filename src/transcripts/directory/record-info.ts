import { infoOf, parseLine, readHeader } from '../format.ts';
import type { RecordInfo } from '../storage.ts';
import type { RecordFiles } from './files.ts';

/** How much is read of the end of a file first, in bytes. The last line of a complete record is shorter. */
const firstLength = 2048;

/** How much more is read each time when a line is longer. */
const growth = 16;

const lineFeed = 0x0a;

/**
 * What a list shows of a record, from its first and its last line. `undefined` if the file is not a record. The last
 * line may be cut off: then the one before it counts.
 */
export async function recordInfo(
  files: RecordFiles,
  path: string,
  size: number,
): Promise<RecordInfo | undefined> {
  const header = readHeader(await firstLine(files, path, size));
  if (!header) return undefined;
  const { createdAt: _, process: __, includes: ___, ...info } = header;
  return { ...info, ...(await lastInfo(files, path, size)) };
}

async function firstLine(files: RecordFiles, path: string, size: number): Promise<string> {
  for (let length = firstLength; ; length *= growth) {
    const part = await files.readPart(path, 0, Math.min(length, size));
    const end = part.indexOf(lineFeed);
    if (end >= 0) return part.toString('utf8', 0, end);
    if (length >= size) return '';
  }
}

async function lastInfo(files: RecordFiles, path: string, size: number): Promise<Partial<RecordInfo>> {
  for (let length = firstLength; ; length *= growth) {
    const start = Math.max(0, size - length);
    const part = await files.readPart(path, start, Math.min(length, size));
    const info = lastOf(part, start === 0);
    if (info) return info;
    if (start === 0) return {};
  }
}

/** The info of the last whole line in the part of a file. */
function lastOf(part: Buffer, isWhole: boolean): Partial<RecordInfo> | undefined {
  let end = part.lastIndexOf(lineFeed);
  while (end > 0) {
    const start = part.lastIndexOf(lineFeed, end - 1) + 1;
    if (start === 0 && !isWhole) return undefined;
    const line = parseLine(part.toString('utf8', start, end));
    if (line) return infoOf(line);
    end = start - 1;
  }
  return undefined;
}
