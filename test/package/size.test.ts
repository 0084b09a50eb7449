import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from './entries.ts';

/**
 * What a page loads, minified and gzipped. A ceiling is raised on purpose and for a reason, never to make room for
 * what came in by accident.
 */
const ceilingsKib: readonly (readonly [use: string, kib: number])[] = [
  ["export * from './src/index.ts';", 58.5],
  // With the transcript as text, Markdown and HTML, which is two fifths of it.
  ["export * from './src/conversation/index.ts';", 10],
  ["export { createConversationStore } from './src/conversation/index.ts';", 5.5],
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
