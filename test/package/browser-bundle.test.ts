import { isBuiltin } from 'node:module';
import { type BuildFailure, build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, installPackage } from './installed.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
});
afterAll(() => consumer?.remove());

/** Bundles everything an entry exports for a page, and says what went in. */
async function bundle(
  entry: string,
): Promise<{ readonly packages: readonly string[]; readonly metafile: Metafile }> {
  const { metafile } = await build({
    stdin: { contents: `export * from '${entry}';`, resolveDir: consumer.folder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
    // All of what is wrong, not the first few of it.
    logLimit: 0,
  });
  const packages = Object.keys(metafile.inputs).flatMap((path) => {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    return name === undefined ? [] : [name];
  });
  return { packages: [...new Set(packages)].sort(), metafile };
}

/** The imports that were left for the page to resolve: none of Node's are among what it could. */
function leftOver({ inputs, outputs }: Metafile): readonly string[] {
  return [...Object.values(inputs), ...Object.values(outputs)]
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external || path.startsWith('node:'))
    .map(({ path }) => path);
}

test.each([
  ['acp-client-sdk', ['acp-client-sdk', 'valibot', 'vscode-jsonrpc']],
  // The renderers use jsdiff.
  ['acp-client-sdk/conversation', ['acp-client-sdk', 'diff']],
  ['acp-client-sdk/schema/v1', ['acp-client-sdk', 'valibot']],
  ['acp-client-sdk/schema/v2', ['acp-client-sdk', 'valibot']],
  ['acp-client-sdk/panel', ['acp-client-sdk', 'valibot', 'vscode-jsonrpc']],
  // `foldTraffic` plays a recording back through a connection.
  // `agentView` serves a panel.
  ['acp-client-sdk/vscode', ['acp-client-sdk', 'valibot', 'vscode-jsonrpc']],
  ['acp-client-sdk/testing', ['acp-client-sdk', 'valibot', 'vscode-jsonrpc']],
])('%s is bundled for a page, with nothing of Node and no more than it needs', async (entry, needed) => {
  const { packages, metafile } = await bundle(entry);
  expect(packages).toEqual(needed);
  expect(leftOver(metafile)).toEqual([]);
});

test('a page gets neither platform of vscode-jsonrpc', async () => {
  const { metafile } = await bundle('acp-client-sdk');
  const files = Object.keys(metafile.inputs).filter((path) => path.includes('vscode-jsonrpc/lib/'));
  expect(files).not.toEqual([]);
  expect(files.filter((path) => !path.includes('vscode-jsonrpc/lib/common/'))).toEqual([]);
});

test('./node cannot be bundled for a page', async () => {
  // The failure itself, not its message, which names a few of the errors, in no fixed order.
  const { errors } = await bundle('acp-client-sdk/node').then(
    () => ({ errors: [] }),
    (failure: BuildFailure) => failure,
  );
  const unresolved = errors.map(({ text }) => /^Could not resolve "(.+)"$/.exec(text)?.[1] ?? text);
  expect(unresolved.filter((name) => !isBuiltin(name))).toEqual([]);
  expect(unresolved).toContain('node:child_process');
});
