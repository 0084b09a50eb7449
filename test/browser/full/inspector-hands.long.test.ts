import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { inspectAgent, startInspector } from '../inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from '../inspector-tests.ts';

let folder: string;
let page: Page;
let problems: string[];
prepareInspectorTests(900, (prepared) => {
  ({ folder, page, problems } = prepared);
});
const { button, chosenRow, ended, entries, inspect, rows, say, search, tab } = inspectorIn(() => page);

/** The inspector of a scripted agent, in the page. */
const inspectScripted = async (agent: ScriptedAgent) =>
  inspect(
    await inspectAgent(folder, {
      title: 'scripted',
      agent: { command: 'scripted' },
      open: async () => agent.transport,
    }),
  );
/** The inspector of the demo agent, in the page. */
const inspectDemoAgent = async (dialect = 'v2-baseline') => inspect(await startInspector(folder, dialect));
const method = () => page.getByRole('combobox', { name: 'Method of the request' });

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

  test('answer a form', async () => {
    const properties = {
      name: { type: 'string', title: 'Your name' },
      kind: { type: 'string', title: 'Kind', enum: ['green', 'black'] },
    };
    const requestedSchema = { type: 'object', properties, required: ['name', 'kind'] };
    const form = asking({ mode: 'form', message: 'Which tea?', requestedSchema });
    await inspectScripted(form.agent);
    await say('tea');
    const tea = page.getByRole('region', { name: 'Form Which tea?' });
    await tea.getByRole('textbox', { name: 'Your name' }).fill('Ada');
    await tea.getByRole('combobox', { name: 'Kind' }).selectOption('black');
    await button('Submit').click();
    await eventually(() => form.answers).toEqual([
      { action: 'accept', content: { name: 'Ada', kind: 'black' } },
    ]);
    await tea.waitFor({ state: 'detached' });
  });

  test.each([
    ['Open', 'accept', 1],
    ['Decline', 'decline', 0],
  ])('answer a question to open a page with “%s”, which opens it or not', async (name, action, opened) => {
    const url = 'http://127.0.0.1:9/login?code=1';
    const { agent, answers } = asking({ mode: 'url', message: 'Log in.', url, elicitationId: 'e1' });
    await inspectScripted(agent);
    await say('log in');
    const question = page.getByRole('region', { name: 'Page to open Log in.' });
    await question.getByText(url).waitFor();
    expect(await question.getByRole('link').count()).toBe(0);
    const pages = () => page.context().pages().length;
    const before = pages();
    await question.getByRole('button', { name, exact: true }).click();
    await eventually(() => answers).toMatchObject([{ action }]);
    await eventually(pages).toBe(before + opened);
  });

  test('send a message again', async () => {
    await inspectDemoAgent(dialect);
    await say('hello');
    await ended();
    const answers = () => entries().filter({ hasText: 'You wrote: “hello”' }).count();
    expect(await answers()).toBe(1);
    await rows().filter({ hasText: 'session/prompt' }).first().click();
    await button('Resend…').click();
    await eventually(() => method().inputValue()).toBe('session/prompt');
    await button('Request').click();
    await page.getByText(/^Result$/).waitFor();
    await eventually(answers).toBe(2);
  });

  test('queue a message during a turn, take it back, and cancel the turn', async () => {
    await inspectDemoAgent(dialect);
    await say('slow');
    await entries().filter({ hasText: '3 🐑' }).waitFor();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('hello afterwards');
    await button('Queue').click();
    const queued = page.getByRole('listitem').filter({ hasText: 'hello afterwards' });
    await queued.waitFor();
    await queued.getByRole('button', { name: /^Edit/ }).click();
    await queued.waitFor({ state: 'detached' });
    await eventually(() => prompt.inputValue()).toBe('hello afterwards');
    await button('Queue').click();
    await queued.waitFor();
    await button('Cancel').click();
    await entries().filter({ hasText: 'You wrote: “hello afterwards”' }).waitFor();
    await ended();
  });

  test('show that the agent was killed, and start it again: each start has its connection', async () => {
    await inspectDemoAgent(dialect);
    const started = rows().filter({ hasText: 'process started' });
    const connected = rows().filter({ hasText: 'connected, dialect' });
    await connected.waitFor();
    await started.click();
    const json = await page.getByRole('region', { name: 'JSON' }).textContent();
    process.kill(JSON.parse(json ?? '').pid, 'SIGKILL');
    await rows()
      .filter({ hasText: /process exited: .*SIGKILL/ })
      .waitFor();
    await eventually(() => connected.count()).toBe(2);
    await button('Restart agent').click();
    await eventually(() => connected.count()).toBe(3);
    expect(await started.count()).toBe(3);
    await tab('Capabilities').click();
    await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
  });

  test('show a crash in red, and begin a new session after it', async () => {
    await inspectDemoAgent(dialect);
    await say('please crash');
    const failure = entries().filter({ hasText: 'Turn interrupted' });
    await failure.waitFor();
    const red = await page
      .locator('.problem')
      .evaluate(`(problem) => getComputedStyle(problem).borderLeftColor`);
    for (const part of [failure.locator('h2'), page.getByText('interrupted', { exact: true })]) {
      expect(await part.evaluate('(part) => getComputedStyle(part).color')).toBe(red);
    }
    await page.getByText('An agent can lose its sessions when it ends.').waitFor();
    await button('New session').click();
    await page.getByRole('status').getByText('open', { exact: true }).waitFor();
    await say('hello');
    await entries().filter({ hasText: 'You wrote: “hello”' }).waitFor();
  });

  test('go on after a reload of the page', async () => {
    await inspectDemoAgent(dialect);
    expect(page.url()).not.toContain('token');
    await say('hello');
    await ended();
    const shown = await entries().allTextContents();
    await page.reload();
    problems.length = 0; // a reload ends the open requests of the page
    await eventually(() => entries().allTextContents()).toEqual(shown);
  });
});

test('the page begins with all sessions, and opens one of them', async () => {
  await inspectDemoAgent();
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await eventually(() => sessions.count()).toBe(3);
  await button('Please edit my notes.').click();
  await eventually(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe(
    'Please edit my notes.',
  );
  await sessions.getByRole('button', { name: /^The day that never was/ }).click();
  await entries().filter({ hasText: 'isLeapYear' }).first().waitFor();
  await button('Sessions').click();
  await eventually(() => sessions.count()).toBe(3);
  await button('Transcript').click();
  await entries().first().waitFor();
});

test('with the focus on an answer, a number gives it, and a restart or a deletion asks before', async () => {
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.message());
    await dialog.dismiss();
  });
  await inspectDemoAgent();
  await say('edit a note about tea');
  await button('Refuse').focus();
  await button('Restart agent').click();
  await eventually(() => asked).toEqual([expect.stringContaining('Restart it?')]);
  await button('Refuse').press('1');
  await ended();
  await entries().filter({ hasText: 'Thank you' }).waitFor();
  await tab('Agent').click();
  await method().fill('session/delete');
  await page.keyboard.press('Tab');
  await button('Request').click();
  await eventually(() => asked.length).toBe(2);
  expect(await rows().filter({ hasText: 'session/delete' }).count()).toBe(0);
});

test('the plan is in the transcript, with its messages, and at each time', async () => {
  await inspectDemoAgent();
  await say('Please plan.');
  const plan = entries().filter({ hasText: '☑ Do what little I can' });
  await plan.waitFor();
  await ended();
  await plan.click();
  await eventually(() => chosenRow().innerText()).toContain('plan');
  await page.getByText(/^changed: .*plans/).waitFor();
  await page.keyboard.press('g');
  await entries().filter({ hasText: '☐ Do what little I can' }).waitFor();
});

test('information is not painted as a fault', async () => {
  await inspectDemoAgent('v2-markers');
  /** The color of something that only information has. */
  const colorOf = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`);
  await rows().filter({ hasText: 'protocol.dialect_assumed' }).waitFor();
  expect(await colorOf('.row.diagnostic .method')).toBe(await colorOf('.row .dim'));
  await button('1 diagnostic').click();
  await eventually(() => rows().count()).toBe(1);
  expect(await page.locator('.fault').count()).toBe(0);
  await search().fill('');
  await rows().filter({ hasText: 'initialize answer' }).click();
  await page.locator('.facts.info').waitFor();
  expect(await colorOf('.facts.info')).toBe(await colorOf('.changes'));
});

test('turns and tool calls are listed with their duration, and lead to their messages', async () => {
  await inspectDemoAgent();
  await say('edit a note about tea');
  await button('Allow').click();
  await ended();
  await tab('Turns').click();
  const turns = page.getByRole('listbox', { name: 'Turns and tool calls' }).getByRole('option');
  const call = turns.filter({ hasText: 'Edit NOTES.md' }).filter({ hasText: 'completed' });
  expect(await call.innerText()).toMatch(/\d (ms|s)\b/);
  expect(await turns.filter({ hasText: 'edit a note about tea' }).innerText()).toContain('end_turn');
  await call.click();
  await page.locator('article.marked', { hasText: 'Edit NOTES.md' }).waitFor();
  await button('Show its messages').click();
  await rows().filter({ hasText: 'session/request_permission answer' }).waitFor();
  expect(await rows().filter({ hasText: 'initialize' }).count()).toBe(0);
});

test('a request by hand begins with its template, and what is wrong with it is said', async () => {
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1 })
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', { stopReason: 'end_turn' })
    .on('session/fork', { sessionId: 's2' });
  await inspectScripted(agent);
  await say('tea');
  await ended();
  await tab('Agent').click();
  await method().fill('session/fork');
  await page.keyboard.press('Tab');
  const text = page.getByRole('textbox', { name: 'Parameters as JSON' });
  const template = { cwd: folder, sessionId: 's1' };
  await eventually(async () => JSON.parse(await text.inputValue())).toEqual(template);
  await page.getByText('needs session.fork').waitFor();
  await text.fill('{\n  "cwd": "/etc"\n  "sessionId": "s1"\n}');
  await page.getByText(/^This is no JSON: .*line 3 column 3/).waitFor();
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
  await page.getByText(/^Result$/).waitFor();
  expect(agent.calls('session/fork')).toHaveLength(1);
});

test.each([
  ['message', rows],
  ['entry', entries],
])(
  'a list that follows what arrives keeps the %s in its place that is clicked meanwhile',
  async (_, items) => {
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
    await inspectScripted(agent);
    await say('many');
    const clicked = items().filter({ hasText: 'Call 59' });
    const messages = async () => Number(await page.locator('.wire [role=status]').textContent());
    await clicked.hover();
    const before = await messages();
    await page.mouse.down();
    call(60);
    await eventually(messages).toBe(before + 60);
    await page.mouse.up();
    await eventually(() => chosenRow().textContent()).toContain('Call 59');
  },
);

/** A script for the page: the controls and headings that are outside of it, or under something else. */
const hiddenParts = `(() => {
  const isSeen = (element) => {
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    if (width === 0) return true;
    if (left < -1 || right > innerWidth + 1) return false;
    // A view that is longer than its place scrolls: how long it is depends on the paths in it.
    const middle = (top + bottom) / 2;
    const view = element.closest('.page')?.getBoundingClientRect();
    if (view && (middle < view.top || middle > view.bottom)) return true;
    const found = document.elementFromPoint((left + right) / 2, middle);
    return found === null || element.contains(found) || found.contains(element);
  };
  const parts = ':is(header.top, .bar, .tabs, .time-bar) *:not(option, datalist)';
  return [...document.querySelectorAll(parts)].filter((element) => !isSeen(element)).map((element) => element.outerHTML.slice(0, 120));
})()`;

test.each([390, 1280])('nothing is cut or covered in %i pixels', async (width) => {
  await page.setViewportSize({ width, height: 844 });
  await inspectDemoAgent();
  const check = async (view: string) => {
    expect([view, await page.evaluate(hiddenParts)]).toEqual([view, []]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  };
  await check('sessions');
  await say('edit a note about tea');
  await button('Allow').waitFor();
  await check('question');
  expect((await page.locator('.entries').boundingBox())?.height).toBeGreaterThan(150);
  await button('Allow').click();
  await ended();
  await entries().filter({ hasText: 'Edit NOTES.md' }).first().click();
  await page.locator('.message').waitFor();
  await check('message');
  for (const view of ['Turns', 'Capabilities', 'Agent']) {
    await tab(view).click();
    await check(view);
  }
});
