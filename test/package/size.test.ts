import { readdir, stat } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from './entries.ts';

/**
 * The size of what a page loads, minified and gzipped: the measured size and 2 % more. Raise a ceiling for a feature that
 * belongs to the entry, and name the feature here.
 */
const ceilingsKib: readonly (readonly [use: string, kib: number])[] = [
  // 82.2 KiB, of which 1.4 KiB describe the events of a turn, and 1 KiB are permission rules and supported MCP servers.
  // Why a session ended, methods that an agent lacks, missing handlers, warnings on the console, and the terminals of the
  // client in the conversation are the last 2.2 KiB.
  // Subagents in both versions and the search for secrets in all that an agent repeats took the most of the last 6 KiB.
  // 2.3 KiB are the paths of agents on other machines, which a program without a map leaves out.
  ["export * from './src/index.ts';", 83.9],
  // 22.9 KiB. The lines of diffs from texts and patches, the output of a tool call, the open questions and an entry as HTML
  // are the last 1.6 KiB. The renderers are half of it, with 2 KiB of jsdiff, and 1.4 KiB for the HTML page: line numbers, folded
  // text, anchors, and styles for the dark and for paper. The mirror is 2.5 KiB. The invisible characters that are
  // removed and the messages between sessions are the last 1.9 KiB.
  ["export * from './src/conversation/index.ts';", 23.4],
  // 9.3 KiB, of which 0.5 KiB are the terminals of the client. Half a KiB checks each field that is folded. The entries and terminals that a replay adds are folded here.
  // 0.2 KiB record how texts grow, for the patches of the mirror, and 0.4 KiB are what a console shows. Subagents, messages
  // between sessions and metadata in linear time are 1.4 KiB, and the texts
  // of whole messages that are joined 0.1 KiB.
  ["export { createConversationStore } from './src/conversation/index.ts';", 9.5],
  // 4.6 KiB: what a webview loads to take the messages of the host. It cannot be ended by a listener that fails, for 0.6.
  ["export { createConversationMirror } from './src/conversation/index.ts';", 4.7],
];

test.each(ceilingsKib)('%s is at most %d KiB for a page', async (contents, kib) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    legalComments: 'none',
    write: false,
  });
  const sizeKib = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1024;
  expect(sizeKib).toBeLessThanOrEqual(kib);
  // A bundle that is empty by mistake is no small one.
  expect(sizeKib).toBeGreaterThan(kib / 2);
});

test('the declarations of the schemas are at most 97 kB', async () => {
  const names = (await readdir(`${root}/dist`)).filter((name) => /^schema-.*\.d\.ts$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(`${root}/dist/${name}`)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  // 95 kB of the three files. With each type written out wherever it occurs, they had 1,044 kB.
  expect(bytes).toBeLessThanOrEqual(97_000);
  expect(bytes).toBeGreaterThan(45_000);
});
