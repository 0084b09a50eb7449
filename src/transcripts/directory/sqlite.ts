/** The part of `node:sqlite` that the index uses. The types of Node 20 do not have the module. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type Row = Readonly<Record<string, unknown>>;

/** A prepared statement. */
export interface Statement {
  all(...values: readonly SqlValue[]): readonly Row[];
  /** One row after the other, so that not all of them are in memory at once. */
  iterate(...values: readonly SqlValue[]): Iterable<Row>;
  run(...values: readonly SqlValue[]): unknown;
}

export type SqlValue = string | number | null;

export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => Database;
}

/** The part of `node:sqlite` that opens databases. `undefined` if this Node has no such module, such as Node 20. */
export function loadSqlite(): SqliteModule | undefined {
  // Also bundlers that do not know the module leave this as it is.
  const load = (process as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule;
  return withoutWarning(() => load?.('node:sqlite')) as SqliteModule | undefined;
}

/** Node warns once that the module is experimental. The index can be deleted at any time, and nothing else uses it. */
function withoutWarning<T>(task: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return task();
  } finally {
    process.emitWarning = emitWarning;
  }
}
