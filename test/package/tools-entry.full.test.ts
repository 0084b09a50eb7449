import { execFile } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Compiler, compileProject } from './compiler.ts';
import { type Consumer, installPackage } from './installed.ts';
import { toolProgram } from './tool-program.ts';

const peers = ['@modelcontextprotocol/server', '@valibot/to-json-schema'];

let bare: Consumer;
let equipped: Consumer;
beforeAll(async () => {
  bare = await installPackage();
  equipped = await installPackage();
  for (const name of peers) await equipped.install(name);
  for (const consumer of [bare, equipped]) {
    await consumer.install('@modelcontextprotocol/client');
    await consumer.install('@types/node');
    const { code } = await transform(toolProgram, { format: 'cjs' });
    await consumer.write({ 'program.mjs': toolProgram, 'program.cjs': code });
  }
}, 60_000);
afterAll(() => Promise.all([bare?.remove(), equipped?.remove()]));

const answers = ['Hello, Ada, over http', 'Hello, Ada, over stdio'];

describe.each(['mjs', 'cjs'])('a program that gives an agent a tool (.%s)', (extension) => {
  test('runs with the packages of MCP', async () => {
    expect(JSON.parse(await equipped.node(`program.${extension}`, 'http', 'stdio'))).toEqual(answers);
  });

  test('gets an error that says what to install without them', async () => {
    const error = JSON.parse(await bare.node(`program.${extension}`, 'http'));
    expect(error.name).toBe('InvalidParamsError');
    expect(error.message).toContain('npm install @modelcontextprotocol/server');
    expect(error.message).toContain('Nothing was sent.');
  });
});

test('importing the entry loads no package of MCP', async () => {
  const loaded = await installPackage();
  onTestFinished(() => loaded.remove());
  const manifest = '{ "type": "module", "exports": { "./*": "./index.js", ".": "./index.js" } }';
  for (const name of peers) {
    await loaded.write({
      [`node_modules/${name}/package.json`]: manifest,
      [`node_modules/${name}/index.js`]: `console.log('loaded', '${name}');`,
    });
  }
  await loaded.write({
    'import.mjs': "import 'acp-client-sdk/tools'; console.log('imported');",
    'require.cjs': "require('acp-client-sdk/tools'); console.log('imported');",
    'load.mjs': `import '${peers[0]}';`,
  });
  expect(await loaded.node('import.mjs')).toBe('imported\n');
  expect(await loaded.node('require.cjs')).toBe('imported\n');
  expect(await loaded.node('load.mjs')).toBe(`loaded ${peers[0]}\n`);
});

test('an extension in one file of CommonJS has tools over HTTP and stdio', async () => {
  const { outputFiles } = await build({
    stdin: { contents: toolProgram, resolveDir: equipped.folder },
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['vscode'],
    write: false,
    logLevel: 'silent',
  });
  // Run where no package is.
  const alone = temporaryFolder();
  await writeFile(join(alone, 'extension.cjs'), outputFiles[0]?.text ?? '');
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['extension.cjs', 'http', 'stdio'], { cwd: alone });
  expect(JSON.parse(stdout)).toEqual(answers);
});

const typed = `
  import type { Session } from 'acp-client-sdk';
  import { mcpServer, type Tool, ToolError, toolServer } from 'acp-client-sdk/tools';
  import * as v from 'valibot';

  const open: Tool<{ path: string; line?: number | undefined }> = {
    description: 'Opens a file.',
    input: v.object({ path: v.string(), line: v.optional(v.number()) }),
    run: ({ path, line }, { session, toolCallId }) => {
      const opened: Session = session;
      if (toolCallId === undefined) throw new ToolError(path);
      return \`\${opened.sessionId} \${line ?? 1}\`;
    },
  };
  export const editor = toolServer({
    name: 'editor',
    tools: {
      open,
      inline: { description: 'x', input: v.object({ n: v.number() }), run: ({ n }) => n.toFixed() },
      plain: { description: 'x', input: { type: 'object' }, run: (input) => String(input['n']) },
      // @ts-expect-error A number is no result.
      wrong: { description: 'x', run: () => 1 },
    },
  });
  export const other = mcpServer({ name: 'other', create: () => ({ connect: async () => {}, close: async () => {} }) });
`;

test.each<Compiler>(['typescript', 'typescript-native'])(
  'tools compile with %s, where the packages of MCP are not installed',
  async (compiler) => {
    const tsconfig = {
      compilerOptions: {
        target: 'es2022',
        lib: ['es2023', 'esnext.disposable', 'dom'],
        module: 'node16',
        strict: true,
        exactOptionalPropertyTypes: true,
        types: ['node'],
        noEmit: true,
        // The native compiler checks the declarations of the package too, which name no type of MCP's packages.
        skipLibCheck: compiler === 'typescript',
      },
      files: ['typed.mts', 'typed.cts'],
    };
    await bare.write({
      'tsconfig.json': JSON.stringify(tsconfig),
      'typed.mts': typed,
      'typed.cts': typed,
    });
    await compileProject(bare.folder, compiler);
  },
);

test('the manifest names the parts that a page does not have', async () => {
  const home = join(bare.folder, 'node_modules/acp-client-sdk');
  const { browser } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const parts = ['tools-http', 'tools-stdio', 'ws-package'];
  const files = parts.flatMap((part) => [`./dist/${part}.cjs`, `./dist/${part}.js`]);
  expect(Object.entries(browser).sort()).toEqual(files.map((file) => [file, false]));
  for (const file of files) await access(join(home, file));
});
