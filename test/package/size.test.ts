import { readdir, stat } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { root } from './entries.ts';

/** Leaves what is imported with `import()` to another file, as bundlers do that split the code. */
const importedLater: Plugin = {
  name: 'imported-later',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Bundles a program that is given as text. Without other plugins, what it imports only when it needs it is in other files,
 * and not counted.
 */
async function bundle(
  contents: string,
  platform: NonNullable<BuildOptions['platform']>,
  plugins: readonly Plugin[] = [importedLater],
) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform,
    legalComments: 'none',
    write: false,
    metafile: true,
    plugins: [...plugins],
  });
  const gzipped = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 });
  /** What the output has of each file, in bytes. */
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  return { kib: gzipped.length / 1024, files };
}

/**
 * The size of what a page loads, minified and gzipped: the measured size and 2 % more. Raise a ceiling for a feature that
 * belongs to the entry, and name the feature here.
 */
const ceilingsKib: readonly (readonly [use: string, kib: number])[] = [
  // 85.8 KiB, of which 1.4 KiB describe the events of a turn, and 1 KiB are permission rules and supported MCP servers.
  // Why a session ended, methods that an agent lacks, missing handlers, warnings on the console, and the terminals of the
  // client in the conversation are 2.2 KiB.
  // Subagents in both versions and the search for secrets in all that an agent repeats took the most of the last 6 KiB.
  // 2.3 KiB are the paths of agents on other machines, which a program without a map leaves out. Messages that wait, for
  // the running turn or the next one, are 2.9 KiB. Servers of the editor itself begin and end with a session: 0.8 KiB.
  // Remote agents are 1.9 KiB: the options of their transports, cookies, and sessions that are lost while others go on.
  // Their code for HTTP is a file of its own, which is loaded when a remote transport is made.
  ["export * from './src/index.ts';", 89.8],
  // 22.9 KiB. The lines of diffs from texts and patches, the output of a tool call, the open questions and an entry as HTML
  // are the last 1.6 KiB. The renderers are half of it, with 2 KiB of jsdiff, and 1.4 KiB for the HTML page: line numbers, folded
  // text, anchors, and styles for the dark and for paper. The mirror is 2.5 KiB. The invisible characters that are
  // removed and the messages between sessions are the last 1.9 KiB.
  ["export * from './src/conversation/index.ts';", 23.7],
  // 9.3 KiB, of which 0.5 KiB are the terminals of the client. Half a KiB checks each field that is folded. The entries and terminals that a replay adds are folded here.
  // 0.2 KiB record how texts grow, for the patches of the mirror, and 0.4 KiB are what a console shows. Subagents, messages
  // between sessions and metadata in linear time are 1.4 KiB, and the texts
  // of whole messages that are joined 0.1 KiB. A prompt that the agent repeats without an id is 0.1 KiB.
  // The keys of metadata that changed, for snapshots and patches, are 0.2 KiB.
  ["export { createConversationStore } from './src/conversation/index.ts';", 9.9],
  // 4.6 KiB: what a webview loads to take the messages of the host. It cannot be ended by a listener that fails, for 0.6.
  ["export { createConversationMirror } from './src/conversation/index.ts';", 4.8],
  // 7.7 KiB: what an extension of VS Code without a panel has besides the connection. A third writes open documents and
  // asks the user.
  [
    "export { agentProcess, askWithQuickPick, workspaceBuffers, workspaceSession, workspaceTerminals } from './src/vscode/index.ts';",
    7.9,
  ],
  // 10.9 KiB: the mirror, 2.9 KiB of valibot and the form of the host's messages, and 3 KiB of recovery and actions. A
  // question that the page has is its id in a message: 0.1 KiB.
  ["export { connectPanel, webSocketChannel } from './src/panel/index.ts';", 11],
];

test.each(ceilingsKib)('%s is at most %d KiB for a page', async (contents, ceilingKib) => {
  const { kib } = await bundle(contents, 'browser');
  expect(kib).toBeLessThanOrEqual(ceilingKib);
  // A bundle that is empty by mistake is no small one.
  expect(kib).toBeGreaterThan(ceilingKib / 2);
});

/**
 * The sizes in KiB before the features for starting and steering agents, measured as below, and how much these features
 * may add together. A feature costs nothing where it is not imported. A bundler cannot leave out what each session and
 * each start has. In the program, `steer`, `queue` and `revoke` of a session are 2.9 KiB, the variables of the editor 0.9,
 * `callMeta` 0.3, and converted paths, explained failures and the login after a crash 0.4. A connection that begins, finds
 * and ends the servers of `acp-client-sdk/tools` is 0.8; the servers themselves are in that entry. A session that is lost
 * while the connection goes on, as with remote agents, and what a trace says of it, is 1.0.
 * The updates of a first replay, the end of a steered message and the check of a WebSocket are 0.2 KiB, and the
 * keys of metadata that changed the last 0.2 KiB.
 */
const growth = {
  program: { beforeKib: 89.54, maxKib: 6.8 },
  conversation: { beforeKib: 22.94, maxKib: 2 },
};

const program = "export { connect } from './src/index.ts'; export { spawnAgent } from './src/node/index.ts';";

test('a page that reaches a remote agent loads its code for HTTP only when it makes the transport', async () => {
  const { kib, files } = await bundle("export { remoteTransport } from './src/index.ts';", 'browser');
  expect(
    files.filter((file) => /src\/transport\/http\/|eventsource-parser|set-cookie-parser/.test(file)),
  ).toEqual([]);
  // 5.4 KiB, with 2.9 KiB of valibot.
  expect(kib).toBeLessThanOrEqual(5.6);
});

test('a program in one file that reaches no remote agent is at most 3 KiB larger than without them', async () => {
  const { kib, files } = await bundle(program, 'node', []);
  expect(files.filter((file) => /src\/transport\/(?:http|remote|late)/.test(file))).toEqual([]);
  // 2.3 KiB, of which 1.4 KiB are a parser of cookies that esbuild does not leave out.
  expect(kib).toBeLessThanOrEqual(94.86 + 3);
});

describe('the features for starting and steering agents', () => {
  test.each([
    ['a program that starts an agent and connects to it', program, 'node', growth.program],
    [
      'a page that uses all of ./conversation',
      "export * from './src/conversation/index.ts';",
      'browser',
      growth.conversation,
    ],
  ] as const)('cost %s no more than is listed', async (_, contents, platform, { beforeKib, maxKib }) => {
    const { kib } = await bundle(contents, platform);
    expect(kib).toBeLessThanOrEqual(beforeKib + maxKib);
    expect(kib).toBeGreaterThan(beforeKib / 2);
  });
});

test('a program that starts an agent and connects to it has no code of other features', async () => {
  const { files } = await bundle(program, 'node');
  expect(files.filter((file) => /@modelcontextprotocol|to-json-schema|zod/.test(file))).toEqual([]);
  const own = files.filter((file) => file.startsWith('src/'));
  const folders = new Set(own.map((file) => file.slice(0, file.lastIndexOf('/'))));
  // No `cli`, `demo`, `inspector`, `loopback`, `panel`, `render`, `testing`, `tools` or `vscode`. A folder below `node` is for a
  // feature that is imported by its name, such as the registry, unless every start of an agent needs it.
  expect([...folders].sort()).toEqual([
    'src',
    'src/client',
    'src/client/requests',
    'src/client/session',
    'src/conversation',
    'src/model',
    'src/node',
    'src/node/environment',
    'src/protocol',
    'src/protocol/v1',
    'src/protocol/v2',
    'src/rpc',
    // `connect` records the traffic where it is asked to.
    'src/trace',
    'src/transport',
  ]);
  const others =
    /^src\/node\/(?:.+\/)?(?:demo-agent|file-system|login-shell|mcp-config|node-command|probe|terminal)|path-syntax|replace-paths/;
  expect(own.filter((file) => others.test(file))).toEqual([]);
});

test('a page that connects a panel has nothing of the client', async () => {
  const { files } = await bundle("export { connectPanel } from './src/panel/index.ts';", 'browser');
  const own = files.filter((file) => file.startsWith('src/'));
  expect([...new Set(own.map((file) => file.slice(0, file.lastIndexOf('/'))))].sort()).toEqual([
    'src',
    'src/conversation',
    'src/panel',
  ]);
  expect(own).not.toContain('src/panel/serve.ts');
});

test('the declarations of the schemas are at most 97 kB', async () => {
  const names = (await readdir(`${root}/dist`)).filter((name) => /^schema-.*\.d\.ts$/.test(name));
  const sizes = await Promise.all(names.map(async (name) => (await stat(`${root}/dist/${name}`)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  // 95 kB of the three files. With each type written out wherever it occurs, they had 1,044 kB.
  expect(bytes).toBeLessThanOrEqual(97_000);
  expect(bytes).toBeGreaterThan(45_000);
});
