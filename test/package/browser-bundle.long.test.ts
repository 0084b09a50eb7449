import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type BuildFailure, build, type Metafile } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import allowed from './allowed.json' with { type: 'json' };
import { type Consumer, installPackage } from './installed.ts';
import { pageProgram } from './tool-program.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
  for (const name of ['@modelcontextprotocol/server', '@valibot/to-json-schema', 'markdown-it'])
    await consumer.install(name);
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

// The HTTP of remote agents uses the two parsers, and no `ws`. The renderers use jsdiff, and the packages of MCP use zod.
// Panels are served, and recordings played back, through a connection.
test.each(Object.entries(allowed['packages in the bundle of an entry for a page']))(
  '%s is bundled for a page, with nothing of Node and no more than it needs',
  async (entry, needed) => {
    const { packages, metafile } = await bundle(entry);
    expect(packages).toEqual(needed);
    expect(leftOver(metafile)).toEqual([]);
  },
);

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

describe('a page with tools', () => {
  let page: Consumer;
  beforeAll(async () => {
    page = await installPackage();
    for (const name of ['@modelcontextprotocol/server', '@valibot/to-json-schema']) await page.install(name);
    await page.write({
      'page.mjs': `${pageProgram}\nexport { remoteTransport } from 'acp-client-sdk';`,
      // A page has no `process`.
      'run.mjs': `
        const [, , file, capabilities] = process.argv;
        const { log } = console;
        Object.defineProperty(globalThis, 'process', { value: undefined });
        const { main } = await import(file);
        log(JSON.stringify(await main(JSON.parse(capabilities)).catch(({ message }) => message)));
      `,
    });
  });
  afterAll(() => page?.remove());

  /** Each bundles the page, and resolves to its warnings. */
  const bundlers = {
    esbuild: async () => {
      const { metafile, warnings } = await build({
        entryPoints: [join(page.folder, 'page.mjs')],
        bundle: true,
        format: 'esm',
        platform: 'browser',
        outfile: join(page.folder, 'esbuild/page.mjs'),
        metafile: true,
        logLevel: 'silent',
      });
      expect(leftOver(metafile)).toEqual([]);
      return warnings.map(({ text }) => text);
    },
    vite: async () => {
      const warnings: string[] = [];
      await buildWithVite({
        root: page.folder,
        configFile: false,
        logLevel: 'silent',
        build: {
          outDir: 'vite',
          lib: { entry: 'page.mjs', formats: ['es'], fileName: () => 'page.mjs' },
          rolldownOptions: { onwarn: ({ message }) => void warnings.push(message) },
        },
      });
      return warnings;
    },
  } satisfies Readonly<Record<string, () => Promise<readonly string[]>>>;

  test.each(['esbuild', 'vite'] as const)(
    'and with remoteTransport is bundled without warnings, and gives them to the agent (%s)',
    async (bundler) => {
      expect(await bundlers[bundler]()).toEqual([]);
      const run = (capabilities: object) =>
        page.node('run.mjs', `./${bundler}/page.mjs`, JSON.stringify({ mcpCapabilities: capabilities }));
      expect(JSON.parse(await run({ acp: true }))).toEqual({
        transport: 'acp',
        content: [{ type: 'text', text: 'Hello, Ada' }],
      });
      expect(JSON.parse(await run({ http: true }))).toContain('In a browser, only the way acp is possible.');
    },
    60_000,
  );
});
