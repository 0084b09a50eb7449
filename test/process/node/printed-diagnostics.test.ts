import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

/** An agent of version 1 that prints banners, and asks for permission twice in a turn. */
const agent = `
  const write = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const params = { sessionId: 's1', toolCall: { toolCallId: 't1', title: 'Run' }, options };
  let prompt;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    if (method === 'session/new') write({ id, result: { sessionId: 's1' } });
    if (method === 'session/prompt') {
      prompt = id;
      console.log('a banner');
      console.log('another banner');
      for (const id of [1, 2]) write({ id: 'ask' + id, method: 'session/request_permission', params });
    }
    if (id === 'ask2') write({ id: prompt, result: { stopReason: 'end_turn' } });
  });
`;

test('a program without onDiagnostic gets warnings on stderr, one for each rule, and nothing on stdout', async () => {
  const folder = temporaryFolder();
  const library = await buildPackage();
  const entry = (name: string) => JSON.stringify(pathToFileURL(join(library, name)).href);
  const program = join(folder, 'editor.mjs');
  await writeFile(join(folder, 'agent.cjs'), agent);
  await writeFile(
    program,
    `
      import { connect } from ${entry('index.js')};
      import { spawnAgent } from ${entry('node.js')};
      const args = [${JSON.stringify(join(folder, 'agent.cjs'))}];
      const clientInfo = { name: 'test', version: '0' };
      const connection = await connect(spawnAgent({ command: process.execPath, args }), { clientInfo });
      const session = await connection.newSession({ cwd: process.cwd() });
      await session.prompt('Go.');
      await connection.close();
    `,
  );
  const { stdout, stderr } = await run(process.execPath, [program]);
  expect(stdout).toBe('');
  const rules = [...stderr.matchAll(/^acp-client-sdk: warning ([\w.]+): /gm)].map(([, rule]) => rule);
  expect(rules.sort()).toEqual(['handler.missing', 'transport.noise']);
  expect(stderr).toContain('Pass onDiagnostic to connect');
});
