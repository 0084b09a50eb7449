import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import { pathMap } from '../../../src/core/protocol/shared-directories.ts';
import type { TrafficRecord } from '../../../src/core/trace/traffic.ts';
import { nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { messages, openSession, toolCalls } from '../../support/open-session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A directory of this system, and an agent on Linux that sees it as `/workspace`. */
async function shared() {
  const base = temporaryFolder('acp paths ');
  const terminals = nodeTerminals();
  onTestFinished(() => terminals.close());
  const { agent, session } = await openSession('v1', {
    handlers: { ...nodeFileSystem({ roots: [base] }), terminals },
    connect: { paths: pathMap([{ editor: base, agent: '/workspace' }]) },
  });
  const call = (method: string, params: object) => agent.request(method, { sessionId: 's1', ...params });
  return { base, session, call };
}

test('an agent reads and writes files of the editor by its own paths', async () => {
  const { base, call } = await shared();
  writeFileSync(join(base, 'notes.txt'), 'one\n');
  const read = await call('fs/read_text_file', { path: '/workspace/notes.txt' });
  expect(read.result).toEqual({ content: 'one\n' });
  const written = await call('fs/write_text_file', { path: '/workspace/new/two.txt', content: 'two\n' });
  expect(written.error).toBeUndefined();
  expect(readFileSync(join(base, 'new', 'two.txt'), 'utf8')).toBe('two\n');
});

test.each([
  '/workspace/../secret.txt',
  '/workspace/..\\secret.txt',
  '/workspace/x/../../secret.txt',
  '/etc/passwd',
])('[security: mapped-paths] %s does not lead out of the roots', async (path) => {
  const { call } = await shared();
  const { error, result } = await call('fs/read_text_file', { path });
  expect(result).toBeUndefined();
  expect(error?.code === -32602 || error?.code === -32002).toBe(true);
});

test('an agent learns its own path of a missing file, and of the directories that it can use', async () => {
  const { call } = await shared();
  const missing = await call('fs/read_text_file', { path: '/workspace/gone.txt' });
  expect(missing.error).toEqual({
    code: -32002,
    message: 'There is no file /workspace/gone.txt.',
    data: { path: '/workspace/gone.txt', uri: 'file:///workspace/gone.txt' },
  });
  const outside = await call('fs/read_text_file', { path: '/elsewhere/a.txt' });
  expect(outside.error?.message).toContain('Use a path inside /workspace.');
});

test('an agent learns its own path of a directory in which no command can start', async () => {
  const { call } = await shared();
  const command = { command: process.execPath, args: ['--version'], cwd: '/workspace/gone' };
  const created = await call('terminal/create', command);
  expect(created.error?.message).toContain('the working directory /workspace/gone does not exist.');
});

/** What `unshare` needs to make a mount namespace here; `undefined` where it cannot. */
const namespace = [['--mount'], ['--mount', '--map-root-user']].find(
  (options) =>
    process.platform === 'linux' &&
    spawnSync('unshare', [...options, 'mount', '--bind', '/usr', '/usr']).status === 0,
);
const whyNot = 'this system does not let a test make a mount namespace with unshare';

const remoteAgent = fileURLToPath(new URL('programs/remote-agent.mjs', import.meta.url));

/** The folder of the editor becomes the folder of the agent, and is empty at its own place. */
const moveFolder = 'mount --bind "$1" "$2" && mount -t tmpfs none "$1" && shift 2 && exec "$@"';

/** A folder of the editor, and an agent that sees it at another place. */
function elsewhere(...program: readonly string[]) {
  const base = temporaryFolder();
  const editor = join(base, 'editor');
  const agent = join(base, 'workspace');
  for (const folder of [editor, agent]) mkdirSync(folder);
  writeFileSync(join(editor, 'notes.txt'), 'by the editor\n');
  writeFileSync(join(base, 'secret.txt'), 'secret\n');
  const records: TrafficRecord[] = [];
  const start = async (options: Partial<ConnectOptions>) => {
    const args = [
      ...(namespace ?? []),
      'sh',
      '-c',
      moveFolder,
      'sh',
      editor,
      agent,
      process.execPath,
      ...program,
    ];
    const connection = await connect(spawnAgent({ command: 'unshare', args }), {
      clientInfo: { name: 'test', version: '0' },
      paths: pathMap([{ editor, agent }]),
      trace: { write: (record) => records.push(structuredClone(record)) },
      onDiagnostic() {},
      ...options,
    });
    onTestFinished(() => connection.close());
    return connection;
  };
  return { editor, agent, records, start };
}

describe('an agent in another mount namespace', () => {
  test('changes a file through the client, in a request and in a terminal', async ({ skip }) => {
    if (!namespace) skip(whyNot);
    const place = elsewhere(remoteAgent);
    const { editor, agent, records } = place;
    const terminals = nodeTerminals();
    const connection = await place.start({
      handlers: { ...nodeFileSystem({ roots: [editor] }), terminals },
    });
    const session = await connection.newSession({ cwd: editor });
    await session.prompt('Change the notes.');

    const { conversation } = session;
    const report = JSON.parse(messages(conversation).map(textOf).at(-1) ?? '');
    const notes = 'by the editor\nby a request\nby a command\n';
    expect(report).toMatchObject({ before: 'by the editor\n', after: notes, seesTheEditor: false });
    expect(readFileSync(join(editor, 'notes.txt'), 'utf8')).toBe(notes);
    expect(report.outside).toContain(`Use a path inside ${agent}.`);

    const path = join(editor, 'notes.txt');
    expect(toolCalls(conversation)[0]).toMatchObject({
      locations: [{ path }],
      content: [{ type: 'diff', changes: [{ path }] }],
    });
    expect(Object.values(conversation.terminals)).toMatchObject([{ cwd: editor }]);
    expect(JSON.stringify(records)).toContain(`"${agent}/notes.txt"`);
    expect(JSON.stringify(records)).not.toContain(editor);
  });
});
