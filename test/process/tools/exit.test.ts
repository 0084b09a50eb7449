import { execFile } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleProgram } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Opens a session with tools over stdio, prints the path of the socket, and exits without the end of the session. */
const source = `
import { existsSync } from 'node:fs';
import { connect } from './src/entries/index.ts';
import { scriptedAgent } from './src/entries/testing.ts';
import { toolServer } from './src/entries/tools.ts';

const editor = toolServer({ name: 'editor', tools: {}, transports: ['stdio'] });
const agent = scriptedAgent()
  .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
  .on('session/new', { sessionId: 's1' });
const connection = await connect(agent.transport, { clientInfo: { name: 'test', version: '0' } });
await connection.newSession({ cwd: '/home/ada', mcpServers: [editor] });
const [{ env }] = agent.calls('session/new')[0].params.mcpServers;
const path = env.find(({ name }) => name === 'ACP_TOOLS_ADDRESS').value;
console.log(JSON.stringify({ path, existed: existsSync(path) }));
process.exit(0);
`;

test.skipIf(process.platform === 'win32')('an editor that exits leaves no folder of its tools', async () => {
  const folder = temporaryFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const outfile = join(folder, 'program.mjs');
  await bundleProgram({
    stdin: { contents: source, resolveDir: root },
    outfile,
    external: ['@modelcontextprotocol/*', '@valibot/*'],
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
  const { path, existed } = JSON.parse(stdout);
  expect(existed).toBe(true);
  expect(existsSync(dirname(path))).toBe(false);
});
