import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../../src');

/** An import or a re-export. Imports of types count, and so do `import()` expressions. */
export interface Import {
  /** Path below `src`. */
  readonly from: string;
  /** Path below `src`, or the name of a package. */
  readonly to: string;
}

/** The files of `src`, by their paths below it. */
export const files: readonly string[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));

export const sourceOf = (file: string): string => readFileSync(join(root, file), 'utf8');

export const imports: readonly Import[] = files.flatMap((from) =>
  ts.preProcessFile(sourceOf(from)).importedFiles.map(({ fileName }) => ({
    from,
    to: fileName.startsWith('.')
      ? relative(root, resolve(root, dirname(from), fileName)).replaceAll('\\', '/')
      : fileName,
  })),
);

/**
 * The floors of `src`, from below: the floors that each imports from, and its rooms in their order. A room imports from
 * the floors of its own and from the rooms before it. docs/architecture.md shows the table.
 */
export const floors: readonly {
  readonly floor: string;
  readonly below: readonly string[];
  readonly rooms: readonly string[];
}[] = [
  {
    floor: 'core',
    below: [],
    rooms: ['base', 'model', 'transport', 'trace', 'protocol', 'rpc', 'conversation', 'render', 'client'],
  },
  {
    floor: 'node',
    below: ['core'],
    rooms: ['environment', 'loopback', 'process', 'files', 'terminals', 'login-shell'],
  },
  { floor: 'agents', below: ['core', 'node'], rooms: [] },
  {
    floor: 'records',
    below: ['core', 'node', 'agents'],
    rooms: ['saved', 'mirror', 'transcripts', 'recording', 'testing'],
  },
  { floor: 'tools', below: ['core', 'node'], rooms: [] },
  {
    floor: 'ui',
    below: ['core', 'agents', 'records'],
    rooms: ['markdown', 'questions', 'panel', 'panel-element', 'vscode', 'bridges', 'ag-ui', 'ai-sdk'],
  },
  {
    floor: 'programs',
    below: ['core', 'node', 'agents', 'records', 'tools', 'ui'],
    rooms: ['demo', 'inspector', 'cli'],
  },
  { floor: 'entries', below: ['core', 'node', 'agents', 'records', 'tools', 'ui'], rooms: [] },
];

/** The rooms of `src`, such as `core/client`. A floor without rooms is one. */
export const rooms: readonly string[] = floors.flatMap((each) =>
  each.rooms.length === 0 ? [each.floor] : each.rooms.map((room) => `${each.floor}/${room}`),
);

/** The room of a path below `src`: the directory that has it, if the table above has no room for it. */
export const folderOf = (path: string): string =>
  rooms.find((room) => path.startsWith(`${room}/`)) ?? path.slice(0, Math.max(path.lastIndexOf('/'), 0));

/** The lists of names that two entries have. Users do not import them. */
const sharedNames = ['entries/conversation-model.ts', 'entries/schema-both.ts'];

/**
 * The files that users import. Each is a list of names, which may come from any folder, and no file imports it.
 */
export const entries: ReadonlySet<string> = new Set(
  files.filter((file) => folderOf(file) === 'entries' && !sharedNames.includes(file)),
);

/** The cycles of a graph: each set of nodes that can all be reached from each other. */
export function cyclesOf(edges: readonly Import[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  // Tarjan's algorithm for strongly connected components.
  const visit = (node: string): number => {
    let low = index.size;
    index.set(node, low);
    stack.push(node);
    for (const other of next.get(node) ?? []) {
      if (!index.has(other)) low = Math.min(low, visit(other));
      else if (stack.includes(other)) low = Math.min(low, lowest.get(other) ?? index.get(other) ?? low);
    }
    lowest.set(node, low);
    if (low === index.get(node)) {
      const component = stack.splice(stack.indexOf(node));
      if (component.length > 1 || next.get(node)?.includes(node)) cycles.push(component.sort());
    }
    return low;
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return cycles;
}
