import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect as connectAgent } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type * as Node from '../../../src/entries/node.ts';
import { keywords } from '../../../src/programs/demo/replies.ts';
import { examples } from '../../../src/programs/demo/stories.ts';
import { buildDemoAgent, buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { allowOnce, connect, dialects, newSession, promptParams, RawClient, v1 } from './raw-client.ts';

/** A client of the program that has been initialized in version 1, with a session. */
async function open() {
  const client = await RawClient.start('--state', temporaryFolder());
  await client.request('initialize', v1.initialize);
  return { client, sessionId: await newSession(client) };
}

test('the help names every option and every keyword', async () => {
  const atExit = `process.on('exit', () => console.log('ELECTRON_RUN_AS_NODE' in process.env))`;
  const args = [`--import=data:text/javascript,${encodeURIComponent(atExit)}`, await buildDemoAgent()];
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const help = execFileSync(process.execPath, [...args, '--help'], { encoding: 'utf8', env });
  const words = keywords.flatMap((keyword) => keyword.words);
  for (const word of ['--state', '--dialect', 'v2-markers', ...words]) expect(help).toContain(word);
  // The variable that lets Electron run as Node is removed.
  expect(help.trimEnd().endsWith('\nfalse')).toBe(true);
});

test.each([
  { args: ['--nonsense'], names: '--nonsense' },
  { args: ['--dialect', 'v3'], names: 'v2-markers' },
  { args: ['serve'], names: 'serve' },
])('$args is wrong usage', async ({ args, names }) => {
  await using client = await RawClient.start(...args);
  const { code, stderr, rest } = await client.exit();
  expect(code).toBe(2);
  expect(stderr).toContain(names);
  expect(rest).toBe('');
});

test('a directory that cannot be one is named', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await using client = await RawClient.start('--state', join(file, 'directory'));
  const { code, stderr } = await client.exit();
  expect(code).toBe(1);
  expect(stderr).toContain(file);
});

test.each(dialects)('the same input gives the same output in $name', async (dialect) => {
  const run = async (client: RawClient): Promise<readonly JsonObject[]> => {
    client.answer = allowOnce;
    await dialect.replay(client, 'example-tea-house');
    const sessionId = await newSession(client, '/home/ada');
    await dialect.prompt(client, sessionId, 'plan, edit, run, image, unicode');
    await client.request('session/list', {});
    await client.end();
    return client.received;
  };
  await using program = await RawClient.start('--state', temporaryFolder(), '--dialect', dialect.name);
  await program.request('initialize', dialect.initialize);
  expect(await run(program)).toEqual(await run(await connect(dialect)));
});

test('several processes share a directory, and each session has one id', async () => {
  const folder = temporaryFolder();
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => {
      await using client = await RawClient.start('--state', folder);
      await client.request('initialize', v1.initialize);
      const mine = [await newSession(client, '/a'), await newSession(client, '/b')];
      await client.end();
      return mine;
    }),
  );
  const numbers = Array.from({ length: 8 }, (_, index) => `session-${index + 1}`);
  expect(ids.flat().sort()).toEqual(numbers);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('without --state a session ends with the process, and so does what a prompt adds to an example', async () => {
  for (const prompt of ['first', 'second']) {
    await using client = await RawClient.start();
    await client.request('initialize', v1.initialize);
    expect(await newSession(client)).toBe('session-1');
    await v1.replay(client, 'example-lighthouse');
    expect(JSON.stringify(client.updates('example-lighthouse'))).not.toContain('first');
    await v1.prompt(client, 'example-lighthouse', prompt);
    await client.request('session/close', { sessionId: 'example-lighthouse' });
    const start = client.received.length;
    await v1.replay(client, 'example-lighthouse');
    expect(JSON.stringify(client.updates('example-lighthouse', start))).toContain(`You wrote: “${prompt}”`);
    await client.end();
  }
});

describe('lines', () => {
  test('that are not messages are answered without an id, and others are ignored', async () => {
    const { client } = await open();
    await using _ = client;
    const start = client.received.length;
    const lines = ['garbage', '{"half":', '[]', '7'];
    for (const line of lines) client.writeLine(line);
    client.writeLine(' \r');
    client.notify('_vendor/note', { any: 'thing' });
    client.notify('session/cancel', { sessionId: 'unknown' });
    client.notify('session/cancel', {});
    client.notify('$/cancel_request', { requestId: 4711 });
    client.writeLine('{"jsonrpc":"2.0","id":99,"result":{}}');
    await client.request('session/list', {});
    expect(client.received.slice(start, -1)).toMatchObject(
      lines.map(() => ({ id: null, error: { code: -32700 } })),
    );
  });

  test('may come in any pieces, hold U+2028, and be as long as an answer with a megabyte', async () => {
    const { client, sessionId } = await open();
    await using _ = client;
    const text = `one\u2028two 👩‍🍳 ${'0123456789'.repeat(100_000)}`;
    await client.request('session/prompt', promptParams(sessionId, text));
    const said = client
      .updates(sessionId)
      .filter((update) => update['sessionUpdate'] === 'agent_message_chunk')
      .map((update) => (update['content'] as JsonObject)['text']);
    expect(said.join('')).toContain(`“${text}”`);
  });
});

test('the program stops in the middle of a line when it crashes', async () => {
  const { client, sessionId } = await open();
  client.send('session/prompt', promptParams(sessionId, 'crash'));
  const { code, stderr, rest } = await client.exit();
  expect(code).toBe(1);
  expect(stderr).toContain('crash');
  expect(rest).not.toBe('');
  expect(() => JSON.parse(rest)).toThrow(SyntaxError);
});

test('the program ends with its stdin, also in a turn and while it asks', async () => {
  await Promise.all(
    ['slow', 'hang', 'permission'].map(async (word) => {
      const { client, sessionId } = await open();
      await using _ = client;
      client.send('session/prompt', promptParams(sessionId, word));
      if (word === 'permission')
        await client.waitFor(({ method }) => method === 'session/request_permission');
      if (word === 'slow')
        await client.waitFor(() => JSON.stringify(client.updates(sessionId)).includes('3 🐑'));
      expect(await client.end()).toEqual({ code: 0, stderr: '', rest: '' });
    }),
  );
});

const names: readonly DialectName[] = ['v1', 'v2-markers', 'v2-baseline'];

/** The function as the package has it: the program is a file beside it. */
async function demoAgentCommand(...options: Parameters<typeof Node.demoAgentCommand>) {
  const url = pathToFileURL(`${await buildPackage()}/node.js`).href;
  const node: typeof Node = await import(/* @vite-ignore */ url);
  return node.demoAgentCommand(...options);
}

test.each(names)(
  'demoAgentCommand starts an agent that speaks %s, with sessions in a folder',
  async (dialect) => {
    const command = await demoAgentCommand({ dialect, sessionsDirectory: temporaryFolder() });
    const start = async () => {
      const connection = await connectAgent(spawnAgent(command), {
        clientInfo: { name: 'test', version: '0' },
        onDiagnostic() {},
      });
      onTestFinished(() => connection.close());
      return connection;
    };
    const connection = await start();
    expect(connection.dialect).toBe(dialect);
    const session = await connection.newSession({ cwd: '/home/ada' });
    expect(await session.prompt('Run it.')).toMatchObject({ stopReason: 'end_turn' });
    await connection.close();
    const { conversation } = await (await start()).loadSession({
      sessionId: session.sessionId,
      cwd: '/home/ada',
    });
    expect(conversation.entries).toContainEqual(
      expect.objectContaining({ kind: 'toolCall', title: 'npm test', status: 'completed' }),
    );
  },
);

test('demoAgentCommand refuses a dialect that does not exist, and names those that do', async () => {
  const command = demoAgentCommand({ dialect: 'v2' as never });
  await expect(command).rejects.toThrow('dialect must be one of v1, v2-markers, v2-baseline; got "v2"');
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

test.each(dialects)('the examples hold all that a transcript can show in $name', async (dialect) => {
  const client = await connect(dialect);
  const updates: JsonObject[] = [];
  for (const { sessionId } of examples) {
    await dialect.replay(client, sessionId);
    updates.push(...client.updates(sessionId));
  }
  const tags = updates.map(({ sessionUpdate }) => String(sessionUpdate).replace(/_(chunk|update)$/, ''));
  const messages = ['user_message', 'agent_message', 'agent_thought'];
  expect(tags).toEqual(expect.arrayContaining([...messages, 'tool_call', 'plan', 'usage', 'session_info']));
  const text = JSON.stringify(updates);
  for (const type of ['image', 'diff', 'resource_link']) expect(text).toContain(`"type":"${type}"`);
  expect(text.includes('"type":"terminal"')).toBe(dialect.protocolVersion === 2);
  for (const script of [/\p{Script=Greek}/u, /\p{Script=Han}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u]) {
    expect(text).toMatch(script);
  }
  for (const character of ['\u2028', '\u200d']) expect(text).toContain(character);
});
