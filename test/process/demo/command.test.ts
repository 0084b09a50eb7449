import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type * as Node from '../../../src/entries/node.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dialects: readonly DialectName[] = ['v1', 'v2-markers', 'v2-baseline'];

/** The function as the package has it: the program is a file beside it. */
async function demoAgentCommand(...options: Parameters<typeof Node.demoAgentCommand>) {
  const url = pathToFileURL(`${await buildPackage()}/node.js`).href;
  const node: typeof Node = await import(/* @vite-ignore */ url);
  return node.demoAgentCommand(...options);
}

test.each(dialects)('demoAgentCommand starts an agent that speaks %s', async (dialect) => {
  const agent = spawnAgent(await demoAgentCommand({ dialect }));
  const connection = await connect(agent, { clientInfo: { name: 'test', version: '0' } });
  expect(connection.dialect).toBe(dialect);
  const session = await connection.newSession({ cwd: '/home/ada' });
  expect(await session.prompt('Run it.')).toMatchObject({ stopReason: 'end_turn' });
  const { entries } = session.conversation;
  expect(entries).toContainEqual(
    expect.objectContaining({ kind: 'toolCall', title: 'npm test', status: 'completed' }),
  );
  await connection.close();
});

test('demoAgentCommand keeps new sessions in the given folder', async () => {
  const command = await demoAgentCommand({ sessionsDirectory: temporaryFolder() });
  const clientInfo = { name: 'test', version: '0' };
  const first = await connect(spawnAgent(command), { clientInfo });
  await (await first.newSession({ cwd: '/home/ada' })).prompt('Hello.');
  await first.close();
  const second = await connect(spawnAgent(command), { clientInfo });
  const session = await second.loadSession({ sessionId: 'session-1', cwd: '/home/ada' });
  expect(session.conversation.entries[0]).toMatchObject({
    kind: 'message',
    role: 'user',
    content: [{ type: 'text', text: 'Hello.' }],
  });
  await second.close();
});

test('demoAgentCommand finds its program under node -e, and in a bundle whose package is installed', async () => {
  const built = await buildPackage();
  const fileIn = (cwd: string) => {
    const program = `import('./node.js').then(({ demoAgentCommand }) => console.log(demoAgentCommand().args.at(-1)))`;
    return execFileSync(process.execPath, ['-e', program], { cwd, encoding: 'utf8' }).trim();
  };
  expect(fileIn(built)).toBe(join(built, 'demo-agent.js'));
  // The code in a folder of its own, without the program.
  const project = temporaryFolder();
  cpSync(built, project, { recursive: true, filter: (path) => !path.endsWith('demo-agent.js') });
  const installed = join(project, 'node_modules/acp-client-sdk');
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(installed, 'package.json'), '{ "exports": { "./node": "./node.cjs" } }');
  writeFileSync(join(installed, 'node.cjs'), '');
  expect(fileIn(project)).toBe(join(realpathSync(installed), 'demo-agent.js'));
});
