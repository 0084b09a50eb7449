import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import type { PanelOptions } from '../../src/ui/panel/options.ts';
import { everything } from '../support/agents.ts';
import { says } from '../support/asking-agent.ts';
import { eventually } from '../support/eventually.ts';
import { cwd } from '../support/panel-pair.ts';
import { styleOf } from './browser.ts';
import { answeringHost, asksToEdit, edit } from './panel-hosts.ts';
import { panelSite, say } from './panel-page.ts';

const site = panelSite();

const input = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const question = (page: Page) => page.getByRole('region', { name: 'Permission' });
/** How many parts of the element listen to each panel that the page has connected. */
const listeners = (page: Page) =>
  page.evaluate<readonly number[]>('panels.map((panel) => panel.listeners())');

const editsFile = (agent: ScriptedAgent) => agent.update('s1', edit, says('Done.\n\n```js\nlet tea;\n```'));
const asks = async (agent: ScriptedAgent) =>
  agent.update('s1', says(`You chose ${await asksToEdit(agent)}.`));

describe('the module', () => {
  test('defines the element once, also if a page imports two copies of it', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(editsFile)],
      run: `(async () => {
        await import('/copy/panel-element.js');
        const first = customElements.get('acp-panel');
        await showPanels();
        globalThis.isSame = customElements.get('acp-panel') === first;
      })()`,
    });
    await say(page, 'Edit.');
    await page.getByText('Done.').waitFor();
    expect(await page.evaluate('isSame')).toBe(true);
  });

  test('defines nothing where there are no elements, and throws nothing', async () => {
    const path = pathToFileURL(join(resolve(import.meta.dirname, '../..'), 'dist/panel-element.js')).href;
    const program = `await import('${path}'); console.log(typeof customElements, typeof HTMLElement);`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect([stdout.trim(), stderr]).toEqual(['undefined undefined', '']);
  });
});

describe('the panel of an element', () => {
  test('can be set before the element is defined', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(editsFile)],
      run: `(async () => {
        document.querySelector('acp-panel').panel = connectTo(0);
        await import('/dist/panel-element.js');
      })()`,
    });
    await say(page, 'Edit.');
    await page.getByText('Done.').waitFor();
  });

  test('is let go for another one, for null, and while the element is in no page', async () => {
    const answers = ['Oolong', 'Sencha'].map((tea) =>
      answeringHost((agent) => agent.update('s1', says(`I like ${tea}.`))),
    );
    const { page } = await site.open({ hosts: answers });
    await page.evaluate(
      `panels.push(connectTo(1)); globalThis.element = document.querySelector('acp-panel')`,
    );
    await say(page, 'Tea?');
    await page.getByText('I like Oolong.').waitFor();
    await page.evaluate('element.panel = panels[1]');
    await say(page, 'Tea?');
    await page.getByText('I like Sencha.').waitFor();
    expect(await page.getByText('I like Oolong.').count()).toBe(0);
    expect(await listeners(page)).toEqual([0, expect.toSatisfy((count) => count > 0)]);
    await page.evaluate('element.panel = null');
    expect(await listeners(page)).toEqual([0, 0]);
    expect(await input(page).count()).toBe(0);
    await page.evaluate('element.panel = panels[0]');
    await page.getByText('I like Oolong.').waitFor();
    await page.evaluate('element.remove()');
    expect(await listeners(page)).toEqual([0, 0]);
    await page.evaluate('document.body.append(element)');
    await say(page, 'Tea?');
    await eventually(() => page.getByText('I like Oolong.').count()).toBe(2);
  });

  test('shows words of the agent that every object has as a key', async () => {
    const words = { kind: 'constructor', status: 'toString' };
    const { page } = await site.open({
      hosts: [
        answeringHost((agent) => {
          agent.update('s1', { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Build', ...words });
          agent.update('s1', {
            sessionUpdate: 'plan',
            entries: [{ content: 'Look', priority: 'low', ...words }],
          });
          // The end of the turn would end the call.
          return noAnswer;
        }),
      ],
    });
    await say(page, 'Build.');
    await page.getByText('toString', { exact: true }).waitFor();
    await page.getByText('Look').first().waitFor();
    expect(await page.getByText('native code').count()).toBe(0);
  });

  test('has its own keys, where a page has two of them', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(asks), answeringHost(asks)],
      body: '<div class="pair"><acp-panel id="one"></acp-panel><acp-panel id="two"></acp-panel></div><button>Outside</button>',
    });
    const [one, two] = [page.locator('#one'), page.locator('#two')];
    for (const each of [one, two]) {
      await each.getByRole('textbox', { name: 'Prompt' }).fill('Ask.');
      await each.getByRole('button', { name: 'Send' }).click();
      await each.getByRole('region', { name: 'Permission' }).waitFor();
    }
    // Where the page has more than the panel, its keys are not the panel's.
    await button(page, 'Outside').focus();
    await page.keyboard.press('1');
    await one.getByRole('textbox', { name: 'Prompt' }).focus();
    await page.keyboard.press('2');
    await one.getByText('You chose no.').waitFor();
    await two.getByRole('region', { name: 'Permission' }).waitFor();
    await two.getByRole('textbox', { name: 'Prompt' }).focus();
    await page.keyboard.press('1');
    await two.getByText('You chose yes.').waitFor();
  });

  test('takes the key of an answer from the moment in which its question is drawn', async () => {
    const { page } = await site.open({ hosts: [answeringHost(asks)] });
    await input(page).fill('Ask.');
    await page.evaluate(`(() => {
      const root = document.querySelector('acp-panel').shadowRoot;
      new MutationObserver((_, observer) => {
        if (!root.querySelector('.question')) return;
        observer.disconnect();
        const press = new KeyboardEvent('keydown', { key: '1', bubbles: true, composed: true });
        root.querySelector('textarea').dispatchEvent(press);
      }).observe(root, { subtree: true, childList: true });
    })()`);
    await button(page, 'Send').click();
    await page.getByText('You chose yes.').waitFor();
  });

  test('is drawn inside of the shadow root of another element', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(asks)],
      body: '<div id="outer"></div>',
      run: `(async () => {
        const root = document.querySelector('#outer').attachShadow({ mode: 'open' });
        root.innerHTML = '<acp-panel></acp-panel>';
        await showPanels(root.children);
      })()`,
    });
    await say(page, 'Ask.');
    await question(page).waitFor();
    await page.keyboard.press('1');
    await page.getByText('You chose yes.').waitFor();
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('outer');
  });
});

describe('what an editor may do', () => {
  /** The host, and what it was asked. */
  const counted = () => {
    const asked: unknown[] = [];
    const editor = {
      openLocation: (location: object) => void asked.push(location),
      openDiff: ({ path }: { readonly path: string }) => void asked.push({ diff: path }),
      insertText: (text: string) => void asked.push({ text }),
    };
    return { asked, host: answeringHost(editsFile, { options: { editor } }) };
  };
  const path = `${cwd}/tea.md`;
  const actions = [
    ['acp-open-file', 'tea.md:2', { path, line: 2 }, { path, line: 2 }],
    [
      'acp-open-diff',
      'Open diff',
      { path, oldText: 'one\ntwo\n', newText: 'one\ntwo and a half\n' },
      { diff: path },
    ],
    ['acp-insert-text', 'Insert', { text: 'let tea;' }, { text: 'let tea;' }],
  ] as const;
  const listen = (answer: string) => `
    globalThis.events = [];
    for (const name of ['acp-open-file', 'acp-open-diff', 'acp-insert-text']) {
      document.addEventListener(name, (event) => {
        const { type, bubbles, composed, cancelable, detail, target } = event;
        events.push({ type, bubbles, composed, cancelable, detail, target: target.localName });
        ${answer}
      });
    }
    showPanels()`;

  test.each([
    ['asks the host after an event that bubbles', '', true],
    ['does not ask the host for what the page has done', 'event.preventDefault();', false],
  ])('%s', async (_, answer, isHostAsked) => {
    const { asked, host } = counted();
    const { page } = await site.open({ hosts: [host], run: listen(answer) });
    await say(page, 'Edit.');
    for (const [, name] of actions) await button(page, name).click();
    await eventually(() => page.evaluate('events')).toEqual(
      actions.map(([type, , detail]) => ({
        ...{ type, detail, bubbles: true, composed: true, cancelable: true },
        target: 'acp-panel',
      })),
    );
    // What the host is asked next comes after what it was asked before.
    await say(page, 'Again.');
    await eventually(() => page.getByText('Done.').count()).toBe(2);
    expect(asked).toEqual(isHostAsked ? actions.map(([, , , seen]) => seen) : []);
  });
});

/** Shows a file, its changes, a page, and code. */
const editsWithLinks = (agent: ScriptedAgent) =>
  agent.update(
    's1',
    edit,
    says('See [the file](tea.md) and [the page](http://127.0.0.1:9/tea).\n\n```js\nlet tea;\n```'),
  );

describe('where the host has no editor', () => {
  const shown = async (page: Page) => {
    await say(page, 'Edit.');
    await page.getByText('See the file').waitFor();
    const names = ['tea.md:2', 'Open diff', 'Insert'].map((name) => button(page, name));
    const [file, diff, insert] = await Promise.all(names.map((each) => each.isVisible()));
    return { file, diff, insert, link: await page.getByRole('link', { name: 'the file' }).isVisible() };
  };

  test('there is no button for what neither host nor page can open, and the browser opens web pages', async () => {
    const { page } = await site.open({ hosts: [answeringHost(editsWithLinks)] });
    expect(await shown(page)).toEqual({ file: false, diff: false, insert: false, link: false });
    expect(await page.locator('.locations').innerText()).toBe('tea.md:2');
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.context().waitForEvent('request', (request) => request.url() === 'http://127.0.0.1:9/tea'),
      page.getByRole('link', { name: 'the page' }).click(),
    ]);
    await opened.close();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('what the page says that it handles is offered, and no more', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(editsWithLinks)],
      body: '<acp-panel handles="acp-open-diff"></acp-panel>',
    });
    expect(await shown(page)).toEqual({ file: false, diff: true, insert: false, link: false });
    const element = page.locator('acp-panel');
    await element.evaluate((each) => each.setAttribute('handles', 'acp-open-file acp-insert-text'));
    await button(page, 'Insert').waitFor();
    expect(await button(page, 'tea.md:2').isVisible()).toBe(true);
    expect(await page.getByRole('link', { name: 'the file' }).isVisible()).toBe(true);
    expect(await button(page, 'Open diff').count()).toBe(0);
  });
});

describe('the look', () => {
  test('has the words of the attributes, and changes with them', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(editsFile)],
      body: '<acp-panel placeholder="What now?" agent-name="Ada"></acp-panel>',
    });
    const heading = (name: string) => page.getByRole('heading', { name, level: 2 });
    const set = (change: string) => page.evaluate(`document.querySelector('acp-panel').${change}`);
    const placeholder = () => input(page).getAttribute('placeholder');
    await heading('Ada').waitFor();
    expect(await placeholder()).toBe('What now?');
    await set(`removeAttribute('placeholder')`);
    await eventually(placeholder).toBe('Ask Ada');
    await set(`setAttribute('agent-name', 'Grace')`);
    await heading('Grace').waitFor();
    await eventually(placeholder).toBe('Ask Grace');
    await set(`removeAttribute('agent-name')`);
    await heading('scripted').waitFor();
  });

  test('follows the system: light, dark, more contrast, colors of its own, and less motion', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(() => noAnswer)],
    });
    await say(page, 'Wait.');
    await page.locator('.dots').first().waitFor();
    const style = (of: string, name: string) => styleOf(page.locator(of).first(), name);
    const look = async () => ({
      background: await style('acp-panel', 'backgroundColor'),
      text: await style('acp-panel', 'color'),
      line: await style('header', 'borderBottomColor'),
      motion: await style('.dots i', 'animationName'),
    });
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' });
    const light = await look();
    expect(light).toMatchObject({ background: 'rgb(255, 255, 255)', text: 'rgb(27, 28, 32)', motion: 'dot' });
    expect(light.line).not.toBe(light.text);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await look()).toMatchObject({ background: 'rgb(23, 24, 28)', text: 'rgb(231, 232, 236)' });
    await page.emulateMedia({ colorScheme: 'light', contrast: 'more', reducedMotion: 'reduce' });
    expect(await look()).toMatchObject({ line: light.text, motion: 'none' });
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await page.locator('button[type=button]').first().isVisible()).toBe(true);
    // What a page says of its own color scheme counts more than the system.
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' });
    await page.evaluate(`document.querySelector('acp-panel').style.colorScheme = 'dark'`);
    expect(await look()).toMatchObject({ background: 'rgb(23, 24, 28)' });
  });

  test('takes the properties of the page, and the styles of its parts', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(asks)],
      body: '<acp-panel class="own parts"></acp-panel>',
    });
    await say(page, 'Ask.');
    await question(page).waitFor();
    const style = (of: string, name: string) => styleOf(page.locator(of).first(), name);
    expect(await style('acp-panel', 'backgroundColor')).toBe('rgb(1, 2, 3)');
    expect(await style('.question p, .question h2', 'fontSize')).toBe('20px');
    for (const part of ['header', 'main', 'article', '.tool', '.question', '.composer']) {
      expect([part, await style(part, 'outlineColor')]).toEqual([part, 'rgb(4, 5, 6)']);
    }
  });

  test('begins at the right in a page that is written from right to left', async () => {
    const { page } = await site.open({
      hosts: [answeringHost(asks)],
      body: '<acp-panel dir="rtl" class="narrow"></acp-panel>',
    });
    await say(page, 'Ask.');
    await question(page).waitFor();
    const left = async (name: RegExp | string) =>
      (await page.getByRole('button', { name }).first().boundingBox())?.x ?? Number.NaN;
    // The title of the session is before the buttons of the header, and the first answer before the second.
    expect(await left(/^Session:/)).toBeGreaterThan(await left('New session'));
    expect(await left('Allow')).toBeGreaterThan(await left('Reject'));
  });
});

describe('in the transcript', () => {
  test('a tool call is closed while the question shows what it changes', async () => {
    const { page } = await site.open({ hosts: [answeringHost(asks)] });
    await say(page, 'Ask.');
    await question(page).getByText('two and a half').waitFor();
    const tool = page.getByRole('log').locator('.tool');
    expect(await tool.getAttribute('open')).toBeNull();
    await question(page).getByRole('button', { name: 'Allow' }).click();
    await page.getByText('You chose yes.').waitFor();
    await eventually(() => tool.getAttribute('open')).toBe('');
  });

  test('a turn that failed can be sent again, and the user keeps what they write', async () => {
    let times = 0;
    const { page } = await site.open({
      hosts: [
        answeringHost((agent) => {
          if (times++ === 0) throw new RequestError(-32603, 'The pot is broken.');
          agent.update('s1', says('Here is your tea.'));
        }),
      ],
    });
    await say(page, 'Tea, please.');
    await page.getByText('The pot is broken.').waitFor();
    await input(page).fill('And then');
    await button(page, 'Send again').click();
    await page.getByText('Here is your tea.').waitFor();
    expect(await page.locator('.user', { hasText: 'Tea, please.' }).count()).toBe(2);
    await eventually(() => input(page).inputValue()).toBe('And then');
    expect(await button(page, 'Send again').count()).toBe(0);
  });
});

test('a login that runs says what it waits for, and the question comes back when the user gives it up', async () => {
  let isLoggedIn = false;
  const authMethods = [
    { id: 'browser', name: 'Use the browser' },
    { id: 'key', name: 'Use a key' },
  ];
  const host: PanelOptions = answeringHost(
    (agent) => {
      if (!isLoggedIn) throw new RequestError(-32000, 'The tea is locked.');
      agent.update('s1', says('Here is your tea.'));
    },
    {
      initialize: { ...everything.v1, authMethods },
      script: (agent) =>
        agent.on('authenticate', ({ methodId }) => {
          if (methodId === 'browser') return noAnswer;
          isLoggedIn = true;
          return {};
        }),
    },
  );
  const { page, served } = await site.open({ hosts: [host] });
  await say(page, 'Tea, please.');
  const login = page.getByRole('region', { name: 'Login' });
  await login.getByRole('button', { name: 'Use the browser' }).click();
  await page.getByText('Waiting for “Use the browser”…').waitFor();
  expect(served[0]?.state.login).toEqual({ name: 'Use the browser' });
  expect(await button(page, 'Not now').count()).toBe(0);
  await login.getByRole('button', { name: 'Cancel' }).click();
  await login.getByRole('button', { name: 'Not now' }).waitFor();
  expect(served[0]?.state.login).toBeNull();
  await login.getByRole('button', { name: 'Use a key' }).click();
  await page.getByText('Here is your tea.').waitFor();
});
