import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Compiler } from './compiler.ts';
import { root } from './entries.ts';

const compilers: readonly Compiler[] = ['typescript', 'typescript-native'];

/** A mistake in a program, and the sentence of the compiler that names it. */
const mistakes: readonly (readonly [code: string, message: string])[] = [
  [
    "connection.newSession({ cwd: '/a', mcpServers: [{ name: 'a', command: '/a', env: { A: '1' } }] });",
    "'A' does not exist in type 'readonly { readonly name: string; readonly value: string; }[]'",
  ],
  [
    "const server = { name: 'a', command: '/a', env: { A: '1' } }; connection.newSession({ cwd: '/a', mcpServers: [server] });",
    "Types of property 'env' are incompatible",
  ],
  [
    "connection.newSession({ cwd: '/a', mcpServers: [{ type: 'http', name: 'a', uri: 'https://a.example' }] });",
    "'uri' does not exist in type",
  ],
  [
    "const block = { type: 'text', text: 'Hi.' }; session.prompt([block]);",
    `Type 'string' is not assignable to type '"text"'`,
  ],
  [
    "const image = { type: 'image', data: '', mimeType: 'image/png' }; session.prompt([image]);",
    "Types of property 'type' are incompatible",
  ],
  ["session.prompt([{ type: 'image', data: '' }]);", "Property 'mimeType' is missing"],
  ["session.prompt([{ type: 'text', txt: 'Hi.' }]);", "'txt' does not exist in type 'TextContent'"],
];

/** What a compiler says about a program. */
async function messagesOf(compiler: Compiler, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-type-errors-'));
  try {
    const lines = [
      `import type { ClientConnection, Session } from '${root}/dist/index.js';`,
      'declare const connection: ClientConnection;',
      'declare const session: Session;',
      code,
    ];
    await writeFile(join(folder, 'program.mts'), lines.join('\n'));
    const tsconfig = {
      extends: `${root}/tsconfig.json`,
      compilerOptions: { types: [], lib: ['es2023', 'esnext.disposable', 'dom'] },
      files: ['program.mts'],
      include: [],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
    return await new Promise((resolve) => {
      execFile(process.execPath, [tsc, '--project', folder, '--pretty', 'false'], (_, stdout) =>
        resolve(stdout),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(compilers)('%s names the mistake in a value of an open union', async (compiler) => {
  const code = mistakes.map(([mistake]) => `{ ${mistake} }`).join('\n');
  const output = await messagesOf(compiler, code);
  const found = mistakes.map(([mistake], place) => {
    const start = `program.mts(${4 + place},`;
    const own = output.slice(output.indexOf(start)).split(/\n(?=\S)/)[0] ?? '';
    return { mistake, message: own };
  });
  expect(found).toEqual(
    mistakes.map(([mistake, message]) => ({ mistake, message: expect.stringContaining(message) })),
  );
  for (const { message } of found) expect(message).not.toMatch(/UnknownContent'\.|`_\$\{string\}`'/);
});
