import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pathMap } from '../../../src/core/protocol/shared-directories.ts';
import { nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { openSession } from '../../support/open-session.ts';

/** A directory of this system, and an agent on Linux that sees it as `/workspace`. */
async function shared() {
  const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'acp paths ')));
  const terminals = nodeTerminals();
  onTestFinished(async () => {
    await terminals.close();
    rmSync(base, { recursive: true, force: true });
  });
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
