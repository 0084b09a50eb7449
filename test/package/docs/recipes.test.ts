import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { PromptTurn } from '../../../src/core/client/session/turn.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle, text } from '../../support/agents.ts';
import { flush, openSession } from '../../support/open-session.ts';
import { loadRecipes } from './recipe-code.ts';

/** What the recipes of the page export. */
interface Recipes {
  printAnswer(session: Session, text: string, write: (text: string) => void): Promise<void>;
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

const root = resolve(import.meta.dirname, '../../..');

interface Case {
  readonly name: string;
  readonly run: (expectation: typeof expect) => Promise<void>;
}

/** The blocks of the page that are tests, bundled from the sources as a reader would run them. */
async function casesOf(page: string): Promise<readonly Case[]> {
  const source = await readFile(join(root, page), 'utf8');
  const blocks = [...source.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) =>
    code.includes("test('") ? [code] : [],
  );
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'docs-'));
  try {
    const cases: Case[] = [];
    for (const [place, code] of blocks.entries()) {
      const outfile = join(folder, `${place}.mjs`);
      await build({
        stdin: {
          contents: `export const cases = []; let expect; const test = (name, body) => cases.push({ name, run: (given) => { expect = given; return body(); } });\n${code}`,
          resolveDir: root,
          loader: 'ts',
        },
        alias: {
          'acp-client-sdk': join(root, 'src/entries/index.ts'),
          'acp-client-sdk/testing': join(root, 'src/entries/testing.ts'),
        },
        packages: 'external',
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        logLevel: 'error',
      });
      cases.push(...(await import(pathToFileURL(outfile).href)).cases);
    }
    return cases;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const cases = await casesOf('docs/testing.md');

test('the page has test files', () => {
  expect(cases.length).toBeGreaterThan(0);
});

test.each(cases)('$name', async ({ run }) => {
  await run(expect);
});
