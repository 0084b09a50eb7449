interface Row {
  /** Settles with the last task that runs alone. */
  readonly alone: Promise<unknown>;
  /** Settles with all tasks. */
  readonly all: Promise<unknown>;
}

const nothing = Promise.resolve();

/** Runs tasks in rows, in the order of the calls. Rows run beside each other. A task that fails does not stop its row. */
export function inOrder() {
  const rows = new Map<string, Row>();
  const add = (name: string, row: Row) => {
    rows.set(name, row);
    void row.all.then(() => {
      if (rows.get(name) === row) rows.delete(name);
    });
  };
  return {
    /** Runs a task after all tasks of its row that came before. */
    alone<T>(name: string, task: () => Promise<T>): Promise<T> {
      const result = (rows.get(name)?.all ?? nothing).then(task);
      const settled = result.catch(() => {});
      add(name, { alone: settled, all: settled });
      return result;
    },
    /** Runs a task after those of its row that run alone, and beside the others. */
    together<T>(name: string, task: () => Promise<T>): Promise<T> {
      const { alone, all } = rows.get(name) ?? { alone: nothing, all: nothing };
      const result = alone.then(task);
      add(name, { alone, all: Promise.all([all, result.catch(() => {})]) });
      return result;
    },
  };
}
