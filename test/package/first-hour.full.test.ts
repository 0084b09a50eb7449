import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReader, type Reader, stepsOf, typeScriptSteps } from './docs/walkthrough.ts';
import { root } from './entries.ts';

/** What a newcomer does in the first hour, in this order, in a directory that was empty, without a network. */
let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
  await reader.install('@types/node');
}, 120_000);
afterAll(() => reader?.remove());

const noNetwork = pathToFileURL(join(root, 'test/support/no-network.mjs')).href;

/**
 * Runs a command on a machine without a network, without copies of the registry, and without packages that npm has kept.
 * Resolves to all that it prints.
 */
const offline = (command: string) =>
  reader.shell(
    `ACP_TEST_NO_NETWORK=1 XDG_CACHE_HOME="$PWD/cache" npm_config_cache="$PWD/npm-cache" NODE_OPTIONS=--import=${noNetwork} ${command} 2>&1`,
  );

/** Runs a program in the directory. */
async function runProgram(name: string, content: string): Promise<string> {
  await reader.write({ [name]: content });
  return offline(`node ${name}`);
}

const onPosix = test.skipIf(process.platform === 'win32');

onPosix(
  '1. lists the agents, with the commands to start them, and where the list is from',
  async () => {
    const listed = await offline('npx acp-client-sdk agents');
    expect(listed).toMatch(/This is the registry that this package contains/);
    expect(listed).toMatch(/codex-acp[\s\S]*@agentclientprotocol\/codex-acp/);
    const rows = await runProgram(
      'agents.mjs',
      `import { knownAgents } from 'acp-client-sdk/node';
    const rows = (await knownAgents()).map(({ id, loginCommands }) => [id, ...loginCommands].join(' '));
    console.log(rows.join('\\n'));`,
    );
    expect(rows).toMatch(/^codex-acp codex login$/m);
    const advice = await runProgram(
      'login.mjs',
      `import { loginAdvice } from 'acp-client-sdk';
    console.log(loginAdvice({ authMethods: [], names: ['codex-acp'] }).text);`,
    );
    expect(advice).toMatch(/^Run in a terminal: `codex login`\./m);
    // Nothing is downloaded: npx is offline.
    const checked = await offline('npx acp-client-sdk doctor || true');
    expect(checked).toMatch(/^Not checked\n[\s\S]*gemini/m);
    const named = await offline('npx acp-client-sdk doctor --agent gemini 2>&1 || true');
    expect(named).toMatch(/This is the registry that this package contains/);
    expect(named).toMatch(/@google%2fgemini-cli[\s\S]*Check the network/);
  },
  600_000,
);

onPosix(
  '2. compiles and follows Getting started and the first recipe, which writes a session as JSON and as a web page',
  async () => {
    const recipe = (await stepsOf('docs/recipes.md')).find(
      (step) => 'file' in step && step.file === 'export.mts',
    );
    expect(recipe).toBeDefined();
    const lines = recipe && 'content' in recipe ? recipe.content.trimEnd().split('\n') : [];
    expect(lines.length).toBeLessThanOrEqual(25);
    const steps = typeScriptSteps(await stepsOf('docs/getting-started.md'), recipe ? [recipe] : []);
    expect(steps.map((step) => ('file' in step ? step.file : ''))).toContain('export.mts');
    await reader.follow(steps);
    const printed = await offline('node export.mjs');
    expect(printed).toContain('example-leap-day The day that never was');
    const session = JSON.parse(await readFile(join(reader.folder, 'session.json'), 'utf8'));
    expect(session.sessionId).toBe('example-leap-day');
    const html = join(reader.folder, 'session.html');
    expect(await readFile(html, 'utf8')).toContain('The day that never was');
    // The page runs the recipe without changes as JavaScript, and says which commands do the same.
    expect(await runProgram('recipe.mjs', lines.join('\n'))).toBe(printed);
    await offline('npx acp-client-sdk transcript example-leap-day --format html > session.html');
    expect(await readFile(html, 'utf8')).toContain('The day that never was');
    const json = await offline('npx acp-client-sdk transcript example-leap-day --format json');
    expect(JSON.parse(json)).toMatchObject({ conversation: { sessionId: 'example-leap-day' } });
  },
  600_000,
);

onPosix(
  '3. runs the agent as a job that allows edits below a directory, and reads its recording',
  async () => {
    const printed = await runProgram(
      'job.mjs',
      `import { readFile } from 'node:fs/promises';
    import { connect, permissionRules } from 'acp-client-sdk';
    import { demoAgentCommand, editsInside, spawnAgent, traceFile, traceLines } from 'acp-client-sdk/node';
    import { pathsOf } from 'acp-client-sdk/conversation';
    import { foldTraffic, playback } from 'acp-client-sdk/testing';
    const run = async (agent, folder) => {
      const requestPermission = permissionRules({ allow: ['read', editsInside([folder])] });
      const connection = await connect(agent, {
        clientInfo: { name: 'job', version: '1.0.0' },
        handlers: { requestPermission },
        trace: traceFile('job.ndjson'),
      });
      const session = await connection.newSession({ cwd: process.cwd() });
      await session.prompt('Please edit my notes.');
      const edit = session.conversation.entries.find(({ kind }) => kind === 'toolCall');
      console.log(edit.status, pathsOf(edit).map((path) => path.slice(process.cwd().length)).join());
      await connection.close();
    };
    await run(spawnAgent(demoAgentCommand()), '/usr');
    await run(spawnAgent(demoAgentCommand()), process.cwd());
    const lines = traceLines('job.ndjson');
    const text = await readFile('job.ndjson', 'utf8');
    for (const recording of [lines, text]) {
      console.log((await foldTraffic(recording)).sessions.length);
      await run(playback(recording), process.cwd());
    }`,
    );
    expect(printed.trim().split('\n')).toEqual([
      expect.stringMatching(/^(?:failed|cancelled) \/NOTES\.md$/),
      'completed /NOTES.md',
      ...['1', 'completed /NOTES.md'],
      ...['1', 'completed /NOTES.md'],
    ]);
    const job = 'npx acp-client-sdk prompt "Please edit my notes." --permit reject';
    const files = '--trace cli.ndjson --summary cli.json';
    expect(await offline(`${job} --allow-edits . ${files} > out.txt; echo $?`)).toMatch(/^0$/m);
    await reader.shell('mkdir src');
    expect(await offline(`${job} --allow-edits src ${files} > out.txt; echo $?`)).toMatch(/^6$/m);
    const summary = JSON.parse(await readFile(join(reader.folder, 'cli.json'), 'utf8'));
    expect(summary.permissions).toMatchObject([{ answer: 'refused', by: 'option' }]);
    expect(await offline('npx acp-client-sdk fold cli.ndjson')).toContain('Please edit my notes.');
  },
  600_000,
);
