import type { RecordFiles } from '../../src/records/transcripts/directory/files.ts';

/** What happens at one call that writes. */
export type DiskFault =
  /** The program is killed while it writes: so much of the data is written, from 0 to 1. */
  | { readonly kind: 'kill'; readonly part: number }
  /**
   * The power ends. Of what was not synced so much is left of each file; `reordered`: the first missing part has zeros, and
   * what was written after it is there.
   */
  | { readonly kind: 'power'; readonly part: number; readonly reordered: boolean }
  /** This and the next calls fail, after so much of the data was written. */
  | { readonly kind: 'error'; readonly code: string; readonly part: number; readonly calls: number };

interface DiskFile {
  synced: Buffer;
  /** What was written since, in order. */
  written: Buffer[];
}

/**
 * A disk in memory at the level of the functions that records are written with. Calls that write are counted, and a fault
 * happens at one of them. After the end of the program, no call settles.
 */
export class FaultyDisk implements RecordFiles {
  readonly #files = new Map<string, DiskFile>();
  readonly #fault: DiskFault | undefined;
  readonly #at: number;
  readonly #delay: () => number;
  #calls = 0;
  #isDown = false;

  /** @param delay - How many turns the next call takes. Default: none. */
  constructor(at = Number.POSITIVE_INFINITY, fault?: DiskFault, delay = () => 0) {
    this.#at = at;
    this.#fault = fault;
    this.#delay = delay;
  }

  /** How many calls have written. */
  get calls(): number {
    return this.#calls;
  }

  /** Whether the program has ended. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** What the next program finds. */
  after(): FaultyDisk {
    const next = new FaultyDisk();
    for (const [path, file] of this.#files) next.#files.set(path, { synced: contentOf(file), written: [] });
    return next;
  }

  async append(path: string, text: string): Promise<void> {
    await this.#turns();
    const file = this.#files.get(path);
    if (!file) throw systemError('ENOENT');
    await this.#write(text, (data) => file.written.push(data));
  }

  async create(path: string, text: string): Promise<void> {
    await this.#turns();
    if (this.#files.has(path)) throw systemError('EEXIST');
    await this.#write(text, (data) => this.#files.set(path, { synced: data, written: [] }));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#turns();
    const file = this.#files.get(from);
    if (!file) throw systemError('ENOENT');
    await this.#write('x', (data) => {
      if (data.length === 0) return;
      this.#files.set(to, file);
      this.#files.delete(from);
    });
  }

  async remove(path: string): Promise<void> {
    await this.#turns();
    if (!this.#files.has(path)) throw systemError('ENOENT');
    await this.#write('x', (data) => data.length > 0 && this.#files.delete(path));
  }

  async read(path: string): Promise<Buffer> {
    await this.#turns();
    return Buffer.from(this.#content(path));
  }

  async readPart(path: string, position: number, length: number): Promise<Buffer> {
    await this.#turns();
    return this.#content(path).subarray(position, position + length);
  }

  async names(): Promise<readonly string[]> {
    await this.#turns();
    return [...this.#files.keys()].map((path) => path.slice(path.lastIndexOf('/') + 1));
  }

  makeDirectory(): Promise<void> {
    return this.#turns();
  }

  facts(path: string) {
    const file = this.#files.get(path);
    return file && { size: contentOf(file).length, mtimeMs: Date.now(), ino: 1, isFile: true };
  }

  #content(path: string): Buffer {
    const file = this.#files.get(path);
    if (!file) throw systemError('ENOENT');
    return contentOf(file);
  }

  async #turns(): Promise<void> {
    if (this.#isDown) await new Promise(() => {});
    for (let turn = this.#delay(); turn > 0; turn--) await Promise.resolve();
    if (this.#isDown) await new Promise(() => {});
  }

  async #write(text: string, put: (data: Buffer) => unknown): Promise<void> {
    const data = Buffer.from(text);
    const call = this.#calls++;
    const fault = this.#fault;
    if (!fault || call < this.#at) return void put(data);
    if (fault.kind === 'error') {
      if (call >= this.#at + fault.calls) return void put(data);
      put(data.subarray(0, Math.floor(data.length * fault.part)));
      throw systemError(fault.code);
    }
    put(data.subarray(0, Math.floor(data.length * fault.part)));
    if (fault.kind === 'power') for (const file of this.#files.values()) lose(file, fault);
    this.#isDown = true;
    await new Promise(() => {});
  }
}

function lose(file: DiskFile, { part, reordered }: Extract<DiskFault, { kind: 'power' }>): void {
  const kept = Math.floor(file.written.length * part);
  const missing = file.written[kept];
  const rest = reordered && missing ? [Buffer.alloc(missing.length), ...file.written.slice(kept + 1)] : [];
  file.written = [...file.written.slice(0, kept), ...rest];
}

function contentOf({ synced, written }: DiskFile): Buffer {
  return Buffer.concat([synced, ...written]);
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the disk refused`), { code });
}
