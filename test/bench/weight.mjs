import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { summary } from './run-child.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const starts = 51;

/** What a page or a program loads of an entry: if it uses all of it, or one thing. The official SDK in the same way. */
export async function bundleSizes() {
  const sizes = {};
  for (const [use, contents, platform = 'browser'] of [
    [
      'connect and spawnAgent',
      "export { connect } from './dist/index.js'; export { spawnAgent } from './dist/node.js';",
      'node',
    ],
    ['@agentclientprotocol/sdk', "export { client, ndJsonStream } from '@agentclientprotocol/sdk';", 'node'],
    ['.', "export * from './dist/index.js';"],
    ['./conversation', "export * from './dist/conversation.js';"],
    [
      'createConversationStore of ./conversation',
      "export { createConversationStore } from './dist/conversation.js';",
    ],
  ]) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      format: 'esm',
      platform,
      legalComments: 'none',
      write: false,
      logLevel: 'error',
    });
    const [{ contents: bundle }] = outputFiles;
    sizes[use] = { minifiedBytes: bundle.length, gzippedBytes: gzipSync(bundle, { level: 9 }).length };
  }
  return sizes;
}

/** The minified bytes that each folder of the source and each dependency has in the bundle of `.`, largest first. */
export async function bundleParts() {
  const { metafile } = await build({
    entryPoints: [`${root}src/entries/index.ts`],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    outdir: 'out',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const bytes = {};
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const part = partOf(file);
    bytes[part] = (bytes[part] ?? 0) + bytesInOutput;
  }
  return Object.fromEntries(Object.entries(bytes).sort(([, a], [, b]) => b - a));
}

function partOf(file) {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file);
  if (dependency) return dependency[1];
  const folder = /src\/((?:core|node|records|ui|programs)\/[^/]+|[^/]+)\//.exec(file);
  return folder ? `src/${folder[1]}` : 'src';
}

/** How much longer a start of Node takes with an import than without one. */
export function importTimes() {
  const imports = {
    nothing: '',
    '.': `import ${JSON.stringify(`${root}dist/index.js`)};`,
    './conversation': `import ${JSON.stringify(`${root}dist/conversation.js`)};`,
    '@agentclientprotocol/sdk': "import '@agentclientprotocol/sdk';",
  };
  const samples = Object.fromEntries(Object.keys(imports).map((name) => [name, []]));
  for (let start = 0; start < starts; start++) {
    for (const [name, source] of Object.entries(imports)) {
      const began = performance.now();
      execFileSync(process.execPath, ['--input-type=module', '-e', source], { cwd: root });
      samples[name].push(performance.now() - began);
    }
  }
  const { median: bareMs } = summary(samples.nothing);
  const beyond = ([name, times]) => [name, summary(times.map((time) => time - bareMs))];
  return { bareMs, ...Object.fromEntries(Object.entries(samples).slice(1).map(beyond)) };
}
