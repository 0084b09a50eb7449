import { describe, expect, test } from 'vitest';
import { entries, files, folderOf, imports } from '../imports.ts';
import { observePaths, type Visit } from './call-paths.ts';
import { expectGenerated, table } from './generated.ts';

/** The purpose of each folder, from the lowest layer to the highest. */
const holds: Readonly<Record<string, string>> = {
  model: 'The version-neutral types of a session.',
  trace: 'Recordings of the traffic, bounded and without secrets.',
  protocol: 'The protocol: schemas, descriptors, dialects. No input and output.',
  conversation: 'The fold with one file per noun, selectors, the store, the patches for another process.',
  render: 'Conversations as text, Markdown and HTML without active content.',
  transport: 'Bytes to messages and back: lines, WebSocket, streamable HTTP, back-pressure.',
  rpc: 'Requests and answers over vscode-jsonrpc: order, cancellation, the end of a connection.',
  client: 'Connection, sessions, turns, the gate, requests from the agent.',
  panel: 'The two ends of a panel: the host, which serves it, and the page.',
  node: "The agent's process, files and terminals, and the registry of agents.",
  vscode: 'Files, terminals, prompts and views of VS Code, whose module is passed in.',
  loopback: 'What a server on this machine checks: the token, the host, the size.',
  tools: "The editor's own tools, as MCP servers, and the ways to reach them.",
  testing: 'The test kit: agents that follow a script or a recording.',
  inspector: 'Timelines of what happened on a connection, and the page that shows them.',
  demo: 'The demo agent, a script of the test kit over stdin and stdout.',
  cli: 'The command line.',
};

/** The other folders that the files of one import from. */
function importsOf(folder: string): readonly string[] {
  const targets = imports
    .filter(({ from, to }) => folderOf(from) === folder && !entries.has(from) && to.endsWith('.ts'))
    .map(({ to }) => folderOf(to));
  return Object.keys(holds).filter((other) => other !== folder && targets.includes(other));
}

test('the page lists every folder and what it imports from', () => {
  const folders = new Set(files.map(folderOf).filter((folder) => folder !== ''));
  expect([...folders].sort()).toEqual(Object.keys(holds).sort());
  const rows = Object.entries(holds).map(([folder, purpose]) => [
    `\`${folder}\``,
    purpose,
    importsOf(folder)
      .map((other) => `\`${other}\``)
      .join(', ') || 'nothing',
  ]);
  expectGenerated('docs/architecture.md', 'folders', table(['directory', 'content', 'imports from'], rows));
});

/** Gets the call that opens a session as a function, because its own servers are ready before the call. */
const servers = 'client/provided-servers.ts';

describe('the paths through the code', () => {
  let observed: Promise<ReadonlyMap<string, readonly Visit[]>> | undefined;

  test.each(['update', 'call', 'request', 'permission', 'decision', 'crash', 'restart'])(
    'the page shows the path of the %s, which enters no file twice',
    async (name) => {
      observed ??= observePaths();
      const visits = (await observed).get(name) ?? [];
      const visited = visits.map(({ file }) => file).filter((file) => file !== servers);
      const entered = visited.filter((file, index) => file !== visited[index - 1]);
      expect(entered.length).toBeGreaterThan(2);
      expect(entered).toEqual([...new Set(entered)]);
      const rows = visits.map(({ file, functions }) => [
        `\`${file}\``,
        functions.map((called) => `\`${called}\``).join(', '),
      ]);
      expectGenerated('docs/architecture.md', `path-${name}`, table(['file', 'functions'], rows));
    },
  );
});
