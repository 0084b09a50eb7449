import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/core/base/json.ts';
import { eventually } from '../../support/eventually.ts';
import { initializeResult, type RawServer, rawServer } from '../../support/raw-acp-server.ts';
import { authorized, startServeExample } from '../../support/serve-example.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run, runHere } from './command-line.ts';

const token = authorized['Authorization']?.slice('Bearer '.length) ?? '';
const env = { AGENT_TOKEN: token };

/** Parameters of a request that a server got. */
function paramsOf(server: RawServer, kind: string): JsonObject {
  const params = server.requests.find((request) => request.kind === kind)?.message['params'];
  if (!isJsonObject(params)) throw new Error(`The server got no ${kind}.`);
  return params;
}

describe.each(['http', 'ws'])('an agent at a URL that begins with %s:', (protocol) => {
  test('is used like the same agent on this machine', async () => {
    const { url, children } = await startServeExample();
    const agent = ['--token-env', 'AGENT_TOKEN', '--', url.replace(/^http/, protocol)];
    const args = ['transcript', 'example-tea-house', '--format', 'json'];
    const [remote, local] = [await run([...args, ...agent], { env }), await run(args)];
    expect(remote).toEqual({ code: 0, stdout: local.stdout, stderr: '' });
    const turn = await runHere(['prompt', 'hello', ...agent], { env });
    expect(turn).toMatchObject({ code: 0, stderr: '' });
    expect(turn.stdout).toContain('You wrote: “hello”');
    await eventually(children).toEqual([]);
  });
});

test('inspect says how the agent is reached', async () => {
  const { url } = await startServeExample();
  const args = ['inspect', '--token-env', 'AGENT_TOKEN', '--', url];
  expect((await runHere(args, { env })).stderr).toBe(`The agent at ${url} is reached over a WebSocket.\n`);
});

test('headers and the token are sent, and headers of the same name are one', async () => {
  const server = await rawServer();
  const headers = ['--header', 'X-Tenant: a', '--header', 'x-tenant: b', '--token-env', 'AGENT_TOKEN'];
  expect(await runHere(['inspect', ...headers, '--', server.url], { env })).toMatchObject({ code: 0 });
  expect(server.requests.find(({ kind }) => kind === 'POST initialize')?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'x-tenant': 'a, b',
  });
});

test('a wrong token is named as such, and not shown', async () => {
  const { url } = await startServeExample();
  const wrong = { AGENT_TOKEN: 'another secret of the test' };
  const { code, stdout, stderr } = await runHere(['inspect', '--token-env', 'AGENT_TOKEN', '--', url], {
    env: wrong,
  });
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(`${url} answered with status 401.`);
  expect(stderr).toContain('pass a new token with --token-env or --header.');
  expect(stderr).not.toContain('another secret');
});

test.each([
  [['--token-env', 'NO_TOKEN'], 'the environment variable NO_TOKEN has no token.'],
  [['--token-env', 'abc-secret'], '--token-env: it takes the name of an environment variable'],
  [['--token-env', 'AGENT_TOKEN', '--header', 'authorization: x'], 'exclude each other'],
  [['--header', 'bad name: secret'], 'header'],
])('%j is wrong usage, and nothing is sent', async (options, says) => {
  const server = await rawServer();
  const { code, stderr } = await runHere(['inspect', ...options, '--', server.url], { env });
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr).not.toContain('secret');
  expect(server.requests).toEqual([]);
});

test.each(['http', 'ws'])('a token is not sent to another machine over %s:', async (protocol) => {
  const url = `${protocol}://192.0.2.1/acp`;
  const { code, stderr } = await runHere(['inspect', '--token-env', 'AGENT_TOKEN', '--', url], { env });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `acp-client-sdk: the headers would be sent to ${url} without TLS, where others can read them. Nothing was sent. Use ${protocol}s:.\n`,
  });
});

test('the files of this machine are offered only with --share-files, for --cwd', async () => {
  const server = await rawServer();
  const cwd = temporaryFolder();
  const prompt = (...options: readonly string[]) =>
    runHere(['prompt', 'x', '--cwd', cwd, ...options, '--', server.url]);
  expect(await prompt()).toMatchObject({ code: 0 });
  expect(JSON.stringify(paramsOf(server, 'POST initialize'))).not.toContain('readTextFile":true');
  const sharing = await rawServer({
    agent: {
      'session/prompt': ({ id }, { send }) => {
        const params = { sessionId: 's1', path: join(cwd, 'notes.txt') };
        void send({ jsonrpc: '2.0', id: 'r1', method: 'fs/read_text_file', params }, 's1');
        void sharing
          .came('POST')
          .then(() => send({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } }, 's1'));
      },
    },
  });
  writeFileSync(join(cwd, 'notes.txt'), 'Feed the cat.');
  expect(await runHere(['prompt', 'x', '--cwd', cwd, '--share-files', '--', sharing.url])).toMatchObject({
    code: 0,
  });
  expect(JSON.stringify(paramsOf(sharing, 'POST initialize'))).toContain('"readTextFile":true');
  expect(sharing.requests.find(({ kind }) => kind === 'POST')?.message).toMatchObject({
    result: { content: 'Feed the cat.' },
  });
});

test('--cwd is a directory of the other machine, and is not looked up here', async () => {
  const server = await rawServer();
  const args = ['prompt', 'x', '--cwd', 'D:\\no\\such'];
  expect(await runHere([...args, '--', server.url])).toMatchObject({ code: 0 });
  expect(paramsOf(server, 'POST session/new')).toMatchObject({ cwd: 'D:\\no\\such' });
  const sharing = await runHere([...args, '--share-files', '--', server.url]);
  expect(sharing).toMatchObject({ code: 2 });
  expect(sharing.stderr).toContain('--cwd: D:\\no\\such is not a directory.');
});

test('a file of this machine is sent as text or not at all', async () => {
  const file = join(temporaryFolder(), 'notes.txt');
  writeFileSync(file, 'Feed the cat.');
  const bare = await rawServer();
  const refused = await runHere(['prompt', 'x', '--file', file, '--', bare.url]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('A link to it would name a file of another machine.');
  expect(bare.count('POST session/prompt')).toBe(0);
  const agentCapabilities = { promptCapabilities: { embeddedContext: true } };
  const able = await rawServer({ agent: { initialize: () => ({ ...initializeResult, agentCapabilities }) } });
  expect(await runHere(['prompt', 'x', '--file', file, '--', able.url])).toMatchObject({ code: 0 });
  expect(JSON.stringify(paramsOf(able, 'POST session/prompt'))).toContain('Feed the cat.');
});

test('a trace has the messages, and neither headers nor the token', async () => {
  const server = await rawServer();
  const file = join(temporaryFolder(), 'trace.ndjson');
  const args = ['prompt', 'x', '--trace', file, '--token-env', 'AGENT_TOKEN', '--', server.url];
  expect(await runHere(args, { env })).toMatchObject({ code: 0 });
  const trace = readFileSync(file, 'utf8');
  expect(trace).toContain('"session/prompt"');
  expect(trace).not.toContain(token);
});

test('a server that does not listen, or has no agent, is an error of the agent', async () => {
  const server = await rawServer({ answer: (_, response) => response.writeHead(404).end() });
  const missing = await runHere(['inspect', '--', server.url]);
  expect(missing).toMatchObject({ code: 4 });
  expect(missing.stderr).toContain(`${server.url} answered with status 404. There is no agent at this URL`);
  const dead = await runHere(['inspect', '--', 'ws://127.0.0.1:1/acp']);
  expect(dead).toMatchObject({ code: 5 });
  expect(dead.stderr).toContain('The WebSocket ws://127.0.0.1:1/acp could not be opened');
  expect(dead.stderr).not.toContain('stderr');
});

test('doctor checks no agent at a URL', async () => {
  const { code, stderr } = await runHere(['doctor', '--', 'https://example.com/acp']);
  expect(code).toBe(2);
  expect(stderr).toContain('For an agent at a URL, use inspect.');
});
