import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/node/file-system.ts';
import { connectTo, everything } from '../support/agents.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'acp habits ')));
  await writeFile(join(folder, 'here.txt'), 'here');
});
afterAll(() => rm(folder, { recursive: true }));

test('a missing file is an error, and an empty text for agents that need that', async () => {
  const answers = [];
  for (const missingFile of ['error', 'empty'] as const) {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }),
      handlers: nodeFileSystem({ roots: [folder], missingFile }),
    });
    await connection.newSession({ cwd: folder });
    for (const name of ['here.txt', 'missing.txt']) {
      const read = { sessionId: 's1', path: join(folder, name) };
      const { result, error } = await agent.request('fs/read_text_file', read);
      answers.push(result ?? error?.code);
    }
  }
  expect(answers).toEqual([{ content: 'here' }, -32002, { content: 'here' }, { content: '' }]);
});
