import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLiveAgent } from '../../../src/programs/inspector/live.ts';
import { serveInspector } from '../../../src/programs/inspector/server/serve.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { startInspector } from '../inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from '../inspector-tests.ts';

let folder: string;
let page: Page;
prepareInspectorTests(900, (prepared) => {
  ({ folder, page } = prepared);
});
const { button, ended, entries, opened, rows, say, tab } = inspectorIn(() => page);

/** The inspector of a scripted agent, in the page. */
async function inspect(agent: ScriptedAgent): Promise<void> {
  const html = await readFile(join(import.meta.dirname, '../../../dist/inspector.html'), 'utf8');
  const { timeline, panel } = startLiveAgent({
    title: 'scripted',
    agent: { command: 'scripted' },
    open: async () => agent.transport,
    connect: { clientInfo: { name: 'inspector', version: '1.0.0' } },
    workspace: { cwd: folder },
  });
  const hands = { panel, folders: [folder] };
  const inspector = await serveInspector({ page: html, timelines: [timeline], hands });
  onTestFinished(async () => {
    // The page goes first: it would notice the end of its server.
    await page.close();
    await inspector.close();
    await panel.close();
  });
  await page.goto(inspector.url);
  await opened();
}

describe.each(dialectNames)('the hands of the inspector, with an agent that speaks %s', (dialect) => {
  /** An agent that asks for something in each turn, and keeps the answers. */
  function asking(params: Readonly<Record<string, unknown>>) {
    const answers: unknown[] = [];
    const agent = scriptedAgent()
      .on('initialize', everything[dialect])
      .on('session/new', { sessionId: 's1' });
    agent.on('session/prompt', async () => {
      const ask = agent.request('elicitation/create', { sessionId: 's1', ...params });
      if (dialect === 'v1') {
        answers.push((await ask).result);
        return { stopReason: 'end_turn' };
      }
      agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
      void ask.then(({ result }) => {
        answers.push(result);
        agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
      });
      return {};
    });
    return { agent, answers };
  }

  /** The inspector of the demo agent, in the page. */
  async function inspectDemoAgent(): Promise<void> {
    const live = await startInspector(folder, dialect);
    onTestFinished(() => live.stop());
    await page.goto(live.url);
    await opened();
  }

  test('answer a form', async () => {
    const properties = {
      name: { type: 'string', title: 'Your name' },
      cups: { type: 'integer', title: 'Cups' },
      milk: { type: 'boolean', title: 'Milk' },
      kind: { type: 'string', title: 'Kind', enum: ['green', 'black'] },
    };
    const requestedSchema = { type: 'object', properties, required: ['name', 'cups'] };
    const { agent, answers } = asking({ mode: 'form', message: 'Which tea?', requestedSchema });
    await inspect(agent);
    await say('tea');
    const form = page.getByRole('group', { name: 'The agent asks' });
    await form.getByText('Which tea?').waitFor();
    await form.getByLabel('Your name').fill('Ada');
    await form.getByLabel('Cups').fill('2');
    await form.getByLabel('Milk').check();
    await form.getByLabel('Kind').selectOption('green');
    await button('Accept').click();
    const content = { name: 'Ada', cups: 2, milk: true, kind: 'green' };
    await eventually(() => answers).toEqual([{ action: 'accept', content }]);
    await form.waitFor({ state: 'detached' });
  });

  test.each([
    ['Accept', 'accept'],
    ['Decline', 'decline'],
  ])('answer a question to open a page with “%s”, and open nothing', async (name, action) => {
    const url = 'https://example.com/login?code=1';
    const { agent, answers } = asking({ mode: 'url', message: 'Log in.', url, elicitationId: 'e1' });
    await inspect(agent);
    await say('log in');
    const group = page.getByRole('group', { name: 'The agent asks to open a page' });
    await group.getByText(url).waitFor();
    const pages = page.context().pages().length;
    expect(await group.getByRole('link').count()).toBe(0);
    await group.getByRole('button', { name, exact: true }).click();
    await eventually(() => answers).toMatchObject([{ action }]);
    expect(page.context().pages()).toHaveLength(pages);
  });

  test('send a message again', async () => {
    await inspectDemoAgent();
    await say('hello');
    await ended();
    const answers = () => entries().filter({ hasText: 'You wrote: “hello”' }).count();
    expect(await answers()).toBe(1);
    await rows().filter({ hasText: 'session/prompt' }).first().click();
    await button('Resend…').click();
    const method = page.getByRole('combobox', { name: 'Method of the request' });
    await eventually(() => method.inputValue()).toBe('session/prompt');
    await button('Request').click();
    await page.getByText(/^Result, after/).waitFor();
    await eventually(answers).toBe(2);
    await page.close();
  });

  test('queue a message during a turn, and cancel the turn', async () => {
    await inspectDemoAgent();
    await say('slow');
    await entries().filter({ hasText: '3 🐑' }).waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('hello afterwards');
    await button('Queue').click();
    await page.getByText(/^Queued.*: hello afterwards/).waitFor();
    await button('Cancel').click();
    await entries().filter({ hasText: 'You wrote: “hello afterwards”' }).waitFor();
    await ended();
    await page.close();
  });

  test('put a message into a turn', async () => {
    await inspectDemoAgent();
    await say('slow');
    await entries().filter({ hasText: '3 🐑' }).waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('with lambs');
    await button('Steer').click();
    await entries().filter({ hasText: 'with lambs' }).first().waitFor();
    await button('Cancel').click();
    await page.getByText(/^idle · cancelled/).waitFor();
    await page.close();
  });

  test('resume a session without its history', async () => {
    await inspectDemoAgent();
    await say('hello');
    await ended();
    await button('Sessions').click();
    await button('New session').click();
    await eventually(() => entries().count()).toBe(0);
    await button('Sessions').click();
    await button('List').click();
    const row = page.getByRole('listitem').filter({ hasText: 'hello' });
    await row.getByRole('button', { name: 'Resume…' }).click();
    await button('Request').click();
    await page.getByText(/^Result, after/).waitFor();
    await page.getByRole('tab', { name: 'Wire' }).click();
    await rows()
      .filter({ hasText: /session\/resume answer/ })
      .waitFor();
    expect(
      await rows()
        .filter({ hasText: /session\/resume error/ })
        .count(),
    ).toBe(0);
    await page.close();
  });

  test('show that the agent was killed, and start it again: each start has its connection', async () => {
    await inspectDemoAgent();
    await page.getByRole('tab', { name: 'Process' }).click();
    const started = page.getByText(/started as \d+/);
    await started.first().waitFor();
    const pid = Number(/started as (\d+)/.exec((await started.first().textContent()) ?? '')?.[1]);
    process.kill(pid, 'SIGKILL');
    await page.getByText(/exited: .*SIGKILL/).waitFor();
    await eventually(() => started.count()).toBe(2);
    await opened();
    await page.getByRole('tabpanel').getByRole('button', { name: 'Restart' }).click();
    await eventually(() => started.count()).toBe(3);
    await opened();
    await page.getByRole('tab', { name: 'Wire' }).click();
    const connected = rows().filter({ hasText: 'connected, dialect' });
    await eventually(() => connected.count()).toBe(3);
    await page.getByRole('tab', { name: 'Capabilities' }).click();
    await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
    await page.close();
  });
});

test('a request by hand begins with its template, and what is wrong with it is said', async () => {
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1 })
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', { stopReason: 'end_turn' })
    .on('session/fork', { sessionId: 's2' });
  await inspect(agent);
  await say('tea');
  await ended();
  await tab('Agent').click();
  await page.getByRole('combobox', { name: 'Method of the request' }).fill('session/fork');
  await page.keyboard.press('Tab');
  const text = page.getByRole('textbox', { name: 'Parameters as JSON' });
  const template = { cwd: folder, sessionId: 's1' };
  await eventually(async () => JSON.parse(await text.inputValue())).toEqual(template);
  await page.getByText('needs session.fork').waitFor();
  await text.fill('{\n  "cwd": "/etc"\n  "sessionId": "s1"\n}');
  await page.getByText(/^The parameters are no JSON: .*line 3 column 3/).waitFor();
  expect(await button('Request').isDisabled()).toBe(true);
  const send = async (params: object) => {
    await text.fill(JSON.stringify(params));
    await button('Request').click();
  };
  await send({ ...template, cwd: '/etc' });
  await page.getByText(/^Error: "\/etc" is not in the directory/).waitFor();
  await send(template);
  await page.getByText(/^Error: .*session\.fork/).waitFor();
  await page.getByRole('checkbox', { name: 'also if the agent does not support it' }).check();
  await send(template);
  await page.getByText(/^Result, after/).waitFor();
  expect(agent.calls('session/fork')).toHaveLength(1);
});

describe('a list that follows what arrives', () => {
  test.each([
    ['message', rows],
    ['entry', entries],
  ])('keeps the %s in its place that is clicked meanwhile', async (_, items) => {
    const agent = scriptedAgent()
      .on('initialize', everything.v1)
      .on('session/new', { sessionId: 's1' })
      .on('session/prompt', () => {
        call(60);
        return noAnswer;
      });
    let count = 0;
    const call = (times: number) => {
      for (const end = count + times; count < end; count++) {
        agent.update('s1', { sessionUpdate: 'tool_call', toolCallId: `${count}`, title: `Call ${count}` });
      }
    };
    await inspect(agent);
    await say('many');
    const clicked = items().filter({ hasText: 'Call 59' });
    const messages = async () => Number(await page.locator('.wire [role=status]').textContent());
    await clicked.hover();
    const before = await messages();
    await page.mouse.down();
    call(60);
    await eventually(messages).toBe(before + 60);
    await page.mouse.up();
    await eventually(() => page.locator('.row[aria-selected=true]').textContent()).toContain('Call 59');
    await page.close();
  });
});
