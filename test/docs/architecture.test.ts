import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { expectGenerated, table } from './generated.ts';

const root = resolve(import.meta.dirname, '../../src');

/** What each folder is for, from what imports nothing to what is on top. */
const holds: Readonly<Record<string, string>> = {
  model: 'What a session is, in the words of no version.',
  trace: 'Records of the traffic, without their secrets and bounded.',
  protocol: 'What the protocol says: schemas, descriptors, dialects. No input and output.',
  conversation: 'The fold: one file a noun, selectors, the store.',
  render: 'Conversations as text, Markdown and HTML in which nothing acts.',
  transport: 'Bytes to messages and back: lines, WebSocket, pace.',
  rpc: 'Requests and answers over vscode-jsonrpc: order, cancellation, the end.',
  client: 'Connection, sessions, turns, the gate, the serving of the agent.',
  node: "The agent's process, files and terminals.",
  testing: 'The test kit: agents that follow a script or a recording.',
  demo: 'The demo agent. It shares nothing with the client, so that neither can hide the fault of the other.',
  cli: 'The command line.',
};

const folders = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);

/** The other folders that the files of one import from. */
function importsOf(folder: string): readonly string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const imported = files
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const from = join(root, folder, name);
      const found = readFileSync(from, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g);
      return [...found].map(([, to = '']) => relative(root, resolve(dirname(from), to)));
    })
    .filter((path) => path.includes('/'))
    .map((path) => path.slice(0, path.indexOf('/')));
  return Object.keys(holds).filter((other) => other !== folder && imported.includes(other));
}

test('every folder has its line, and the folders that it imports from', () => {
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
