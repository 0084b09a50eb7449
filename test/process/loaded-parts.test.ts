import { execFile } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = resolve(import.meta.dirname, '../..');

/** A program with an agent of its own, which writes its answer to `initialize` and what follows in one chunk. */
const program = `
  import { connect } from './src/entries/index.ts';
  import { memoryTransport } from './src/core/transport/memory/memory-transport.ts';
  const { version, options } = JSON.parse(process.argv[2]);
  const { transport, agent } = memoryTransport();
  const happened = [];
  agent.onLine((line) => {
    const { id, method } = JSON.parse(line);
    if (method !== 'initialize') return;
    const body = version === 1 ? { agentCapabilities: {} } : { info: { name: 'a', version: '1' }, capabilities: {} };
    agent.send(
      { jsonrpc: '2.0', id, result: { protocolVersion: version, ...body } },
      { jsonrpc: '2.0', id: 'a', method: '_example.com/ask', params: {} },
      { jsonrpc: '2.0', method: '_example.com/tell', params: {} },
    );
  });
  const note = (name) => () => (happened.push(name), {});
  const extensions = { '_example.com/ask': note('asked'), '_example.com/tell': note('told') };
  const connection = await connect(() => transport, {
    clientInfo: { name: 'test', version: '1' },
    handlers: { extensions, ...(options.elicit && { elicit: { form: () => ({ action: 'cancel' }) } }) },
    ...(options.reconnect && { reconnect: {} }),
    ...(options.trace && { trace: { write() {} } }),
    onDiagnostic: ({ rule }) => happened.push(rule),
  });
  happened.push('connected');
  while (!happened.includes('told')) await new Promise(setImmediate);
  await connection.close();
  console.log(JSON.stringify({ happened, loaded: globalThis.loadedFiles }));
`;

/** Runs the program in a process, built as bundlers do that split the code. Returns what it has loaded. */
async function run(version: 1 | 2, options: Readonly<Record<string, true>>) {
  const folder = temporaryFolder();
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    metafile: true,
    banner: { js: '(globalThis.loadedFiles ??= []).push(import.meta.url);' },
  });
  const argument = JSON.stringify({ version, options });
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'stdin.mjs'), argument]);
  const { happened, loaded }: { happened: string[]; loaded: string[] } = JSON.parse(stdout);
  const names = new Set(loaded.map((url) => basename(url)));
  const outputs = Object.entries(metafile.outputs).filter(([path]) => names.has(basename(path)));
  const sources = outputs.flatMap(([, { inputs }]) => Object.keys(inputs));
  return {
    happened,
    isLoaded: (path: string) => sources.some((source) => source.startsWith(`src/core/${path}`)),
  };
}

test.each([
  [1, 2],
  [2, 1],
] as const)(
  'a connection loads version %i alone, and reads on when it exists: what came behind the answer is in order',
  async (version, other) => {
    const { happened, isLoaded } = await run(version, {});
    expect(happened).toEqual(['connected', 'asked', 'told']);
    expect(isLoaded('client/connect')).toBe(true);
    expect(isLoaded(`protocol/v${version}/`)).toBe(true);
    expect(isLoaded(`protocol/v${other}/`)).toBe(false);
  },
);

test('what only some connections need is loaded where the options ask for it', async () => {
  const parts = {
    'client/requests/elicitation': 'elicit',
    'client/session/lost-sessions': 'reconnect',
    'trace/trace': 'trace',
  } as const;
  const none = await run(1, {});
  const all = await run(1, { elicit: true, reconnect: true, trace: true });
  expect(all.happened).toEqual(none.happened);
  for (const path of Object.keys(parts)) {
    expect(none.isLoaded(path), path).toBe(false);
    expect(all.isLoaded(path), path).toBe(true);
  }
});
