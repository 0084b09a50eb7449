import { createHash } from 'node:crypto';

/** What the name of a record ends with. */
const extension = '.jsonl';

/** How much of an id is in a name, to be read by people. */
const maxSlugLength = 40;

/** How many characters of the hash are in a name: 128 bits. */
const hashLength = 32;

const writerName = /^[\da-f]{32}$/;
const recordName = /^(?:[\da-z-]+-)?([\da-f]{32})\.([\da-f]{32})\.jsonl$/;
const temporaryName = /^\.[\da-f]{32}\.[\da-f]{16}\.tmp$/;

/**
 * What the names of all records of a transcript begin with. The id may be any text: its hash makes the name unique, also
 * on a file system that does not distinguish capitals, and no name is one that Windows reserves.
 */
function namePrefix(id: string): string {
  const slug = id
    .toLowerCase()
    .slice(0, maxSlugLength)
    .replace(/[^\da-z]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${slug === '' ? '' : `${slug}-`}${hashOf(id)}.`;
}

/** The same hash for each spelling of a half of a character: such ids cannot be written as UTF-8. */
function hashOf(id: string): string {
  return createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, hashLength);
}

/** @throws TypeError if the writer is not one of this library: it becomes part of a path. */
export function recordFileName(id: string, writer: string): string {
  if (!writerName.test(writer)) throw new TypeError(`"${writer}" is not the name of a writer.`);
  return `${namePrefix(id)}${writer}${extension}`;
}

/** The hash of the id, and the writer. `undefined` if the file is not a record. */
export function parseFileName(name: string): { readonly hash: string; readonly writer: string } | undefined {
  const [, hash, writer] = recordName.exec(name) ?? [];
  return hash === undefined || writer === undefined ? undefined : { hash, writer };
}

/** Which of these ids the name of a record is made of. `undefined` if it is none of them. */
export function idInName(name: string, ids: readonly string[]): string | undefined {
  const hash = parseFileName(name)?.hash;
  return ids.find((id) => hashOf(id) === hash);
}

/** Sorts the names of files. Returns which of them are the records of a transcript. */
export function namesByTranscript(names: readonly string[]): (id: string) => readonly string[] {
  const byHash = new Map<string, string[]>();
  for (const name of names) {
    const hash = parseFileName(name)?.hash;
    if (hash === undefined) continue;
    const known = byHash.get(hash);
    if (known) known.push(name);
    else byHash.set(hash, [name]);
  }
  return (id) => byHash.get(hashOf(id)) ?? [];
}

/** Whether the file was to become a record. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/** @param nonce - 16 hexadecimal digits. */
export function temporaryFileName(writer: string, nonce: string): string {
  return `.${writer}.${nonce}.tmp`;
}
