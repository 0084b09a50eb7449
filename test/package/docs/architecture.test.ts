import { expect, test } from 'vitest';
import { entries, files, folderOf, imports } from '../imports.ts';
import { expectGenerated, table } from './generated.ts';

/** What each folder is for, from what imports nothing to what is on top. */
const holds: Readonly<Record<string, string>> = {
  model: 'What a session is, in the words of no version.',
  trace: 'Records of the traffic, without their secrets and bounded.',
  protocol: 'What the protocol says: schemas, descriptors, dialects. No input and output.',
  conversation: 'The fold: one file a noun, selectors, the store, the patches for another process.',
  render: 'Conversations as text, Markdown and HTML in which nothing acts.',
  transport: 'Bytes to messages and back: lines, WebSocket, pace.',
  rpc: 'Requests and answers over vscode-jsonrpc: order, cancellation, the end.',
  client: 'Connection, sessions, turns, the gate, the serving of the agent.',
  node: "The agent's process, files and terminals.",
  testing: 'The test kit: agents that follow a script or a recording.',
  demo: 'The demo agent, a script of the test kit over stdin and stdout. `test/peers` tests against the official SDK.',
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
  expectGenerated('docs/architecture.md', 'folders', table(['folder', 'holds', 'imports from'], rows));
});
