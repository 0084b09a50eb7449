import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { hasOneStream } from '../../support/agents.ts';
import { openSession } from '../../support/open-session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let root: string;
let outside: string;
beforeEach(() => {
  [root, outside] = [temporaryFolder('acp-root-'), temporaryFolder('acp-outside-')];
});

const serving = () => openSession('v1', { handlers: nodeFileSystem({ roots: [root] }) });

test('[33] [agents: missing-file-is-failure] v1 file requests call their handlers, and a missing file is an error', async () => {
  await writeFile(join(root, 'a.txt'), 'one\ntwo\nthree\nfour\n');
  const { agent } = await serving();
  const path = join(root, 'a.txt');
  const read = async (more: object) =>
    (await agent.request('fs/read_text_file', { sessionId: 's1', path, ...more })).result;
  expect(await read({})).toEqual({ content: 'one\ntwo\nthree\nfour\n' });
  expect(await read({ line: 2, limit: 2 })).toEqual({ content: 'two\nthree\n' });
  expect(await read({ line: null, limit: null })).toEqual({ content: 'one\ntwo\nthree\nfour\n' });
  for (const [wrong, code] of [
    [{}, -32602],
    [{ path: join(root, 'missing.txt') }, -32002],
  ] as const) {
    const { error } = await agent.request('fs/read_text_file', { sessionId: 's1', ...wrong });
    expect(error?.code).toBe(code);
  }
});

test.runIf(hasOneStream())(
  '[33] v1 a request for a session that is not open is answered -32002',
  async () => {
    const { agent } = await serving();
    const { error } = await agent.request('fs/read_text_file', { sessionId: 'other', path: join(root, 'a') });
    expect(error).toMatchObject({ code: -32002, data: { sessionId: 'other' } });
  },
);

test('[34] v1 writing creates the file and its folders', async () => {
  const { agent } = await serving();
  const path = join(root, 'new', 'b.txt');
  const { result } = await agent.request('fs/write_text_file', { sessionId: 's1', path, content: 'hello' });
  expect(result).toEqual({});
  expect(await readFile(path, 'utf8')).toBe('hello');
  await agent.request('fs/write_text_file', { sessionId: 's1', path, content: '' });
  expect(await readFile(path, 'utf8')).toBe('');
});

test('[36] v1 paths outside the roots are neither read nor written', async () => {
  await writeFile(join(outside, 'secret'), 'secret');
  await symlink(outside, join(root, 'link'));
  const { agent } = await serving();
  const paths = [join(outside, 'secret'), join(root, '..', 'x'), join(root, 'link', 'secret'), 'relative'];
  for (const path of paths) {
    const read = await agent.request('fs/read_text_file', { sessionId: 's1', path });
    const write = await agent.request('fs/write_text_file', { sessionId: 's1', path, content: 'gone' });
    expect([read.error?.code, write.error?.code], path).toEqual([-32602, -32602]);
  }
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
});
