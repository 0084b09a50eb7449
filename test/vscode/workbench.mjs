import { panelIn } from './panel.mjs';
import { descendantsOf, isRunning } from './processes.mjs';
import { themes } from './themes.mjs';
import { limitMs, until } from './until.mjs';

/**
 * Opens the workbench in a browser without a past.
 *
 * @param options.query - What is opened: `folder=…` or `workspace=…`.
 * @param options.settings - Settings of the user, besides those of all scenes.
 */
export async function openWorkbench({ browser, server, query, theme, settings = {} }) {
  await server.setUser({ ...settings, 'workbench.colorTheme': themes[theme].name });
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  context.setDefaultTimeout(limitMs);
  const page = await context.newPage();
  const problems = watchConsole(page);
  const posts = countPosts(page);
  const root = page.locator('.monaco-workbench');
  const hosts = () =>
    descendantsOf(server.pid).filter(({ command }) => command.includes('--type=extensionHost'));

  const workbench = {
    page,
    problems,
    /** What the extension host has posted to pages of extensions so far: `{ count, bytes }`. */
    posts,
    panel: panelIn(page),

    async load() {
      await page.goto(`${server.url}/?${query}`);
      await workbench.ready();
    },
    /** Waits until the workbench is drawn. */
    async ready() {
      await page
        .locator('.activitybar')
        .getByRole('tab', { name: /^Explorer/ })
        .waitFor();
    },
    /** Shows a view container of the activity bar. */
    async show(name) {
      const tab = page.locator('.activitybar').getByRole('tab', { name });
      await tab.waitFor();
      // A click on the one that is shown hides it. VS Code can show it again by itself just before the click.
      const selected = tab.and(page.locator('[aria-selected=true]'));
      await until(`${name} is shown`, async () => {
        if (await selected.isVisible()) return true;
        await tab.click();
        return selected.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
      });
    },
    /** Shows the panel. If it asks for an agent, chooses the demo agent. */
    async openPanel() {
      const { panel } = workbench;
      await workbench.show(/^Agent/);
      const demo = panel.start('Demo agent');
      await demo
        .or(panel.session.and(panel.frame.locator(':enabled')))
        .first()
        .waitFor();
      if (await demo.isVisible()) await demo.click();
      await panel.idle();
    },
    /** Runs a command of the command palette. */
    async command(title) {
      // A command of an extension appears only in a list that is opened after VS Code has found the extension.
      await until(`the command ${title} exists`, async () => {
        await page.keyboard.press('F1');
        const row = await workbench.find(`>${title}`, title);
        const exists = await row.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
        if (exists) await row.click();
        else await page.keyboard.press('Escape');
        return exists;
      });
    },
    /** Types into the open quick input, and chooses the row with this text. */
    async pick(typed, row) {
      await (await workbench.find(typed, row)).click();
    },
    /** Types into the open quick input. Resolves to the row with this text. */
    async find(typed, row) {
      await workbench.input.fill(typed);
      return workbench.rows.filter({ hasText: row }).first();
    },
    input: page.locator('.quick-input-widget input[type=text]').first(),
    rows: page.locator('.quick-input-list .monaco-list-row'),
    /** Opens a file of the workspace in an editor. */
    async openFile(name) {
      await page.keyboard.press('Control+P');
      await workbench.pick(name, name);
      await workbench.tab(name).waitFor();
      await workbench.editor.waitFor();
    },
    /** The tab of an open editor. */
    tab: (name) => page.locator('.tabs-container').getByRole('tab', { name: new RegExp(`^${name}`) }),
    isDirty: (name) => workbench.tab(name).evaluate((element) => element.classList.contains('dirty')),
    editor: page.locator('.editor-instance .monaco-editor .view-lines').first(),
    /** The text of the editor that is shown. It must be short: VS Code draws only what is in view. */
    async editorText() {
      const lines = await workbench.editor.locator('.view-line').evaluateAll((found) =>
        found
          .map((line) => ({ top: Number.parseFloat(line.style.top), text: line.textContent }))
          .sort((a, b) => a.top - b.top)
          .map(({ text }) => text.replaceAll('\u00a0', ' ')),
      );
      return lines.join('\n');
    },
    /** Changes the theme as a user does, and waits until the workbench and the pages of extensions have it. */
    async setTheme(next) {
      const { label, workbench: inWorkbench, page: inPage } = themes[next];
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Control+T');
      await workbench.pick(label, label);
      await page.locator(`.monaco-workbench.${inWorkbench}`).waitFor();
      await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
      for (const frame of page.frames()) {
        if (!/fake\.html|vscode-webview/.test(frame.url())) continue;
        await frame.locator(`body.${inPage}`).waitFor({ state: 'attached' });
      }
    },
    /** The process of the extension host. */
    host: async () => (await until('one extension host runs', hosts, ({ length }) => length === 1))[0].pid,
    /** The processes below the extension host whose command contains a text. */
    async agents(text) {
      const host = await workbench.host();
      const find = () => descendantsOf(host).filter(({ command }) => command.includes(text));
      return (await until(`an agent runs: ${text}`, find, ({ length }) => length > 0)).map(({ pid }) => pid);
    },
    async reloadWindow() {
      const before = await workbench.host();
      await Promise.all([page.waitForEvent('load'), workbench.command('Developer: Reload Window')]);
      await workbench.ready();
      await until('the extension host of the page before ended', () => !isRunning(before));
    },
    /** Closes the page, and waits until its extension host has ended. */
    async close() {
      await context.close();
      await until('the extension host ended', hosts, ({ length }) => length === 0);
    },
    root,
  };
  await workbench.load();
  return workbench;
}

/** Counts the calls of `postMessage` that arrive from the extension host, also those for a page that is hidden. */
function countPosts(page) {
  const posts = { count: 0, bytes: 0 };
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      if (!payload.includes('$postMessage')) return;
      posts.count++;
      posts.bytes += payload.length;
    });
  });
  return posts;
}

/** What went wrong in the pages of extensions, and what a policy blocked anywhere: each message, and how often it came. */
function watchConsole(page) {
  const problems = new Map();
  page.on('console', (message) => {
    const text = message.text();
    const { url } = message.location();
    const isOurs = /^https:\/\/[^/]*vscode-resource|^[^?]*\/extensions\/example\./.test(url);
    const isWrong = message.type() === 'error' || message.type() === 'warning';
    const problem = `${text} (${url})`;
    if (/content security policy/i.test(text) || (isOurs && isWrong)) {
      problems.set(problem, (problems.get(problem) ?? 0) + 1);
    }
  });
  return problems;
}
