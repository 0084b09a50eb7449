import { expect, test } from 'vitest';
import { faultsIn } from './compiler.ts';
import { root } from './entries.ts';

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

test('the compiler names the mistake in a value of an open union', async () => {
  const lines = [
    `import type { ClientConnection, Session } from '${root}/dist/index.js';`,
    'declare const connection: ClientConnection;',
    'declare const session: Session;',
    ...mistakes.map(([mistake]) => `{ ${mistake} }`),
  ];
  const lib = ['es2023', 'esnext.disposable', 'dom'];
  const faults = await faultsIn({ 'program.mts': lines.join('\n') }, { types: [], lib });
  const found = mistakes.map(([mistake], place) => ({
    mistake,
    message: faults.find(({ line }) => line === 4 + place)?.message ?? '',
  }));
  expect(found).toEqual(
    mistakes.map(([mistake, message]) => ({ mistake, message: expect.stringContaining(message) })),
  );
  for (const { message } of found) expect(message).not.toMatch(/UnknownContent'\.|`_\$\{string\}`'/);
});
