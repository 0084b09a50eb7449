import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AgentSource } from '../../../src/core/client/agent-source.ts';
import type { AuthRequiredHandler, ClientConnection } from '../../../src/core/client/connection.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { PromptTurn } from '../../../src/core/client/session/turn.ts';
import type { ContentBlockInput } from '../../../src/core/model/content.ts';
import type { AuthMethod } from '../../../src/core/protocol/dialect.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, nothing, refuses, settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, flush, openSession } from '../../support/open-session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { loadBlocks, loadRecipes } from './recipe-code.ts';

/** What the recipes of the page export. */
interface Recipes {
  printAnswer(session: Session, text: string, write: (text: string) => void): Promise<void>;
  chat(
    terminal: Interface,
    take: (line: string) => Promise<void>,
    write: (text: string) => void,
  ): Promise<void>;
  askOn(terminal: Interface, write: (text: string) => void): ClientHandlers['requestPermission'];
  runJob(agent: AgentSource, cwd: string, task: string): Promise<{ isDone: boolean; text: string }>;
  continueSession(connection: ClientConnection, cwd: string, file: string): Promise<Session>;
  loginWith(screen: object): AuthRequiredHandler;
  fileBlock(connection: ClientConnection, path: string): Promise<ContentBlockInput>;
  interrupt(session: Session, turn: PromptTurn, text: string): Promise<PromptTurn[]>;
  stopAtFirstEdit(session: Session): Promise<void>;
  submit(connection: ClientConnection, session: Session, text: string): Promise<void>;
}

let recipes: Recipes;
let remove = async () => {};

beforeAll(async () => {
  ({ recipes, remove } = await loadRecipes<Recipes>());
});
afterAll(() => remove());

const chunk = (said: string) => ({ sessionUpdate: 'agent_message_chunk', content: text(said) });

/** A session whose turns say what the prompt says, and end when the test says so. */
async function openTurns(steering = {}) {
  const opened = await openSession('v1', {
    initialize: { ...everything.v1, _meta: steering },
    script: (agent) =>
      agent
        .on('session/prompt', () => noAnswer)
        .on('session/cancel', () => {
          for (const { id } of agent.calls('session/prompt'))
            agent.answer(id ?? '', { stopReason: 'cancelled' });
        }),
  });
  const { agent } = opened;
  const end = async (prompt: number) =>
    agent.answer((await agent.called('session/prompt', prompt)).id ?? '', { stopReason: 'end_turn' });
  const prompts = () => agent.calls('session/prompt').map(({ params }) => JSON.stringify(params?.['prompt']));
  return { ...opened, end, prompts };
}

describe('a recipe', () => {
  test('prints the answer while it arrives', async () => {
    const { agent, session, end } = await openTurns();
    const written: string[] = [];
    const printed = recipes.printAnswer(session, 'Hi.', (said) => written.push(said));
    await agent.called('session/prompt');
    agent.update(
      's1',
      chunk('One'),
      { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Read' },
      chunk('Two'),
    );
    await flush(agent);
    expect(written.join('')).toBe('One\n[Read]\nTwo');
    await end(1);
    await printed;
  });

  test('takes a turn for each line, asks the questions in between, and goes on after a turn that failed', async () => {
    const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
    const terminal = createInterface({ input, output });
    onTestFinished(() => terminal.close());
    let shown = '';
    const write = (text: string) => {
      shown += text;
    };
    output.on('data', write);
    /** Answers when the terminal asks. */
    const type = async (after: string, line: string) => {
      await eventually(() => shown.endsWith(after)).toBe(true);
      shown = '';
      input.write(`${line}\n`);
    };
    const options = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Refuse', kind: 'reject_once' },
    ];
    const { agent, session } = await openSession('v1', {
      handlers: { requestPermission: recipes.askOn(terminal, write) },
      script: (scripted) =>
        scripted.on('session/prompt', async ({ prompt }) => {
          if (JSON.stringify(prompt).includes('Fail.')) throw new RequestError(-32000, 'It failed.');
          const toolCall = { toolCallId: 't1', title: 'Edit' };
          const { result } = await scripted.request('session/request_permission', {
            sessionId: 's1',
            toolCall,
            options,
          });
          expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
          return { stopReason: 'end_turn' };
        }),
    });
    const chat = recipes.chat(terminal, async (line) => void (await session.prompt(line)), write);
    await type('\n> ', 'Fail.');
    await eventually(() => shown).toContain('It failed.');
    await type('\n> ', 'Edit.');
    await type('\nEdit\n1 Allow\n2 Refuse\nNumber: ', 'perhaps');
    await type('Number: ', '2');
    await type('\n> ', '/exit');
    await chat;
    expect(agent.calls('session/prompt')).toHaveLength(2);
  });

  test.each([
    { kind: 'edit', path: 'src/a.ts', isDone: true },
    { kind: 'edit', path: 'b.ts', isDone: false },
    { kind: 'execute', path: 'src/a.ts', isDone: false },
  ])('does a job: $isDone if the agent asks for $kind of $path', async ({ kind, path, isDone }) => {
    const folder = temporaryFolder();
    await mkdir(join(folder, 'src'));
    const agent = scriptedAgent()
      .on('initialize', nothing.v1)
      .on('session/new', { sessionId: 's1' })
      .on('session/prompt', async () => {
        const { result } = await agent.request('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId: 't1', title: 'Work', kind, locations: [{ path: join(folder, path) }] },
          options: ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind })),
        });
        const optionId = isDone ? 'allow_once' : 'reject_once';
        expect(result).toEqual({ outcome: { outcome: 'selected', optionId } });
        return { stopReason: 'end_turn' };
      });
    const done = await recipes.runJob(agent.transport, folder, 'Fix the failing test.');
    expect(done).toEqual({ isDone, text: expect.stringContaining('Fix the failing test.') });
    expect(await readFile(join(folder, 'agent.ndjson'), 'utf8')).toContain('Fix the failing test.');
  });

  test('continues the session of the file, and begins another one if the agent has lost it', async () => {
    const file = join(temporaryFolder(), 'session');
    const opened = await openTurns();
    const begun = await recipes.continueSession(opened.connection, cwd, file);
    expect(await readFile(file, 'utf8')).toBe(begun.sessionId);
    const able = await connectTo(everything.v1, { answers: { 'session/load': {} } });
    expect(await recipes.continueSession(able.connection, cwd, file)).toMatchObject({ sessionId: 's1' });
    expect(able.agent.calls('session/new')).toEqual([]);
    const answers = { 'session/load': refuses(-32002, 'No session.'), 'session/new': { sessionId: 's2' } };
    const other = await connectTo(everything.v1, { answers });
    expect(await recipes.continueSession(other.connection, cwd, file)).toMatchObject({ sessionId: 's2' });
    expect(await readFile(file, 'utf8')).toBe('s2');
  });

  test('asks for a login, and sends the refused call again', async () => {
    const methods = [
      { id: 'key', name: 'API key' },
      { id: 'cli', name: 'CLI', type: 'terminal', args: ['login'] },
      { id: 'env', name: 'Key', type: 'env_var', vars: [{ name: 'SOME_KEY' }] },
    ];
    const ran: string[] = [];
    const choices = [2, 1, 0];
    const onAuthRequired = recipes.loginWith({
      async choose(said: string, offered: readonly AuthMethod[]) {
        expect(said).toContain('SOME_KEY');
        expect(offered.map(({ methodId }) => methodId)).toEqual(['key', 'cli']);
        return offered[choices.shift() ?? 0];
      },
      async runInTerminal({ methodId }: AuthMethod) {
        ran.push(methodId);
      },
    });
    const { agent, connection } = await connectTo(
      { ...everything.v1, authMethods: methods },
      { onAuthRequired, answers: { 'session/new': refuses(-32000, 'Authentication required') } },
    );
    agent.on('authenticate', () => {
      agent.on('session/new', { sessionId: 's1' });
      return {};
    });
    const open = () => connection.newSession({ cwd });
    await expect(open()).rejects.toThrow('The user did not log in.');
    await expect(open()).rejects.toMatchObject({ code: 'remote.auth_required' });
    expect(ran).toEqual(['cli']);
    expect(await open()).toMatchObject({ sessionId: 's1' });
  });

  test('puts files into a prompt as the agent accepts them', async () => {
    const folder = temporaryFolder();
    const paths = ['a.png', 'b.txt', 'c.bin'].map((name) => join(folder, name));
    for (const path of paths)
      await writeFile(path, path.endsWith('.txt') ? 'A text.' : Uint8Array.of(0xff, 0xd8));
    const typesFor = async (capabilities: Parameters<typeof connectTo>[0]) => {
      const { connection } = await connectTo(capabilities);
      const blocks = await Promise.all(paths.map((path) => recipes.fileBlock(connection, path)));
      return blocks.map(({ type }) => type);
    };
    expect(await typesFor(everything.v1)).toEqual(['image', 'resource', 'resource_link']);
    expect(await typesFor(nothing.v1)).toEqual(['resource_link', 'resource_link', 'resource_link']);
  });

  test('interrupts a turn and continues with a new prompt', async () => {
    const { agent, session, end, prompts } = await openTurns();
    const turn = session.prompt('First.');
    await agent.called('session/prompt');
    const [next] = await recipes.interrupt(session, turn, 'Second.');
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    await end(2);
    expect(await next).toMatchObject({ stopReason: 'end_turn' });
    const order = agent.received
      .map(({ method }) => method)
      .filter((method) => /prompt|cancel/.test(method ?? ''));
    expect(order).toEqual(['session/prompt', 'session/cancel', 'session/prompt']);
    expect(prompts()[1]).toContain('Second.');
  });

  test('stops at the first edit', async () => {
    const { agent, session, end, prompts } = await openTurns();
    const stopped = recipes.stopAtFirstEdit(session);
    await agent.called('session/prompt');
    agent.update('s1', chunk('Well.'), {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Edit',
      kind: 'edit',
    });
    await end(2);
    await stopped;
    expect(agent.calls('session/cancel')).toHaveLength(1);
    expect(prompts()[1]).toContain('Explain first');
  });

  test('queues what is written while the agent works, or steers the running turn', async () => {
    const { connection, session, agent, end, prompts } = await openTurns();
    const turns = [session.prompt('One.'), recipes.submit(connection, session, 'Two.')];
    await agent.called('session/prompt');
    await settle();
    expect(prompts()).toHaveLength(1);
    await end(1);
    await end(2);
    await Promise.all(turns);
    expect(prompts()).toEqual([expect.stringContaining('One.'), expect.stringContaining('Two.')]);

    const able = await openTurns({ steering: { supported: true } });
    able.agent.on('_session/steering', { outcome: 'injected' });
    const turn = able.session.prompt('One.');
    await able.agent.called('session/prompt');
    await recipes.submit(able.connection, able.session, 'Two.');
    await able.end(1);
    await turn;
    const late = recipes.submit(able.connection, able.session, 'Three.');
    await able.end(2);
    await late;
    expect(able.prompts()).toEqual([expect.stringContaining('One.'), expect.stringContaining('Three.')]);
  });
});

interface Case {
  readonly name: string;
  readonly run: (expectation: typeof expect) => Promise<void>;
}

// Blocks that are tests call `test` and `expect` of a runner.
const runner =
  'export const cases = []; let expect; const test = (name, body) => cases.push({ name, run: (given) => { expect = given; return body(); } });\n';
const tests = await loadBlocks<{ readonly cases: readonly Case[] }>('docs/testing.md', /^test\('/m, runner);
await tests.remove();
const cases = tests.modules.flatMap((module) => module.cases);

test('the page has test files', () => {
  expect(cases.length).toBeGreaterThan(0);
});

test.each(cases)('$name', async ({ run }) => {
  await run(expect);
});
