import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderEntryHtml, renderPlanHtml } from '../../../src/entries/conversation.ts';
import { foldTraffic } from '../../../src/entries/testing.ts';
import type { TimelineFile, TimelineItem } from '../../../src/programs/inspector/timeline/items.ts';
import { readTranscript } from '../../../src/programs/inspector/timeline/read-transcript.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import {
  accessibilityFaults,
  type LiveInspector,
  recordings,
  startInspector,
  timelineOf,
  writePage,
} from '../inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from '../inspector-tests.ts';

const names = readdirSync(recordings).filter((name) => name.endsWith('.ndjson'));
const transcripts = join(import.meta.dirname, '../../fixtures/transcripts');
const textOf = (name: string) => readFileSync(join(recordings, name), 'utf8');

let folder: string;
let page: Page;
let problems: string[];
prepareInspectorTests(900, (prepared) => {
  ({ folder, page, problems } = prepared);
});
const { ended, entries, opened, rows, say } = inspectorIn(() => page);

async function open(...timelines: readonly TimelineFile[]): Promise<void> {
  await page.goto(await writePage(folder, timelines));
  await rows().first().waitFor();
}

/** The number of the chosen message. */
const chosen = async () =>
  (await page.locator('.row[aria-selected=true]').textContent())?.trim().split(' ')[0];
const time = () => page.getByRole('slider', { name: 'Time' });
/** The number of the message whose time is shown. */
const shownNumber = async () => (await time().getAttribute('aria-valuetext'))?.split(' ')[0];
const search = () => page.getByRole('combobox', { name: 'Search in the messages' });

/** The HTML of all entries, also of those that are drawn only when the transcript is scrolled to them. */
function shownEntries(): Promise<readonly string[]> {
  return page.locator('.entries').evaluate(async (list) => {
    const drawn: string[] = [];
    const view = list.ownerDocument.defaultView;
    const frame = () => new Promise((done) => view?.requestAnimationFrame(done));
    for (list.scrollTop = 0, await frame(); ; list.scrollTop += 300) {
      await frame();
      await frame();
      for (const entry of list.querySelectorAll('article')) {
        drawn[Number(entry.ariaPosInSet) - 1] = entry.querySelector(':scope > div')?.innerHTML ?? '';
      }
      if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) return drawn;
    }
  });
}

/** HTML as the browser writes it. */
function normalized(html: readonly string[]): Promise<readonly string[]> {
  return page.locator('body').evaluate(
    ({ ownerDocument }, all) =>
      all.map((each) => {
        const box = ownerDocument.createElement('div');
        box.innerHTML = each;
        return box.innerHTML;
      }),
    html,
  );
}

describe('the inspector, with a recording', () => {
  test.each(names)('%s shows what fold shows', async (name) => {
    const { sessions } = await foldTraffic(textOf(name));
    await open(await timelineOf(name, textOf(name)));
    const choice = page.getByRole('combobox', { name: 'Session', exact: true });
    expect(await choice.locator('option').count()).toBe(sessions.length);
    for (const [number, { conversation }] of sessions.entries()) {
      await choice.selectOption(String(number));
      const expected = conversation.entries.map((entry) => renderEntryHtml(conversation, entry));
      // The plans are one article at the end.
      if (conversation.plans.length > 0) expected.push(conversation.plans.map(renderPlanHtml).join(''));
      await eventually(shownEntries).toEqual(await normalized(expected));
    }
  });

  test('leads from a request to its answer, with the time between them', async () => {
    await open(await timelineOf('codex', textOf('codex-2.6.0.ndjson')));
    await rows().filter({ hasText: 'initialize' }).first().click();
    const request = await chosen();
    await page.getByRole('button', { name: /^by #/ }).click();
    await page.getByText(/answer after 698 ms/).waitFor();
    await page.getByRole('button', { name: /^to #/ }).click();
    await eventually(chosen).toBe(request);
  });

  test('suggests what can be searched for, by pointer and by keyboard', async () => {
    await open(await timelineOf('codex', textOf('codex-2.6.0.ndjson')));
    const suggestion = (name: string) => page.getByRole('option', { name });
    await search().click();
    await suggestion('update: the kind of a session update').click();
    await suggestion('update:usage_update').click();
    expect(await search().inputValue()).toBe('update:usage_update ');
    await eventually(() => page.locator('.wire .row:not(:has-text("usage_update"))').count()).toBe(0);
    await search().fill('-upd');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await search().inputValue()).toBe('-update:');
    await search().fill('-update:agent_mess');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await search().inputValue()).toBe('-update:agent_message_chunk ');
    await eventually(() => page.locator('.wire .row:has-text("agent_message_chunk")').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('misses no key before its first frame', async () => {
    await page.addInitScript('requestAnimationFrame = () => 0; setTimeout = () => 0;');
    await open(await timelineOf('codex', textOf('codex-2.6.0.ndjson')));
    await page.keyboard.press('/');
    await page.keyboard.type('initialize');
    expect(await search().inputValue()).toBe('initialize');
  });

  test('does everything with the keyboard', async () => {
    await open(await timelineOf('codex', textOf('codex-2.6.0.ndjson')));
    const focus = () => page.evaluate('document.activeElement.className');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('t');
    await eventually(focus).toContain('entry');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await eventually(() => page.locator('article[aria-posinset="3"]:focus').count()).toBe(1);
    await page.keyboard.press('Enter');
    const first = await chosen();
    await page.keyboard.press('w');
    await eventually(focus).toBe('rows');
    await page.keyboard.press('ArrowDown');
    await eventually(chosen).toBe(String(Number(first) + 1));
    await page.keyboard.press('g');
    await eventually(shownNumber).toBe(String(Number(first) + 1));
    await page.keyboard.press('l');
    await page.keyboard.press('/');
    await page.keyboard.type('initialize');
    await eventually(() => page.locator('.row:not(:has-text("initialize"))').count()).toBe(0);
    // The first one closes the suggestions, the second one leaves the search.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    for (const [key, text] of [
      ['3', 'Capabilities'],
      ['5', 'Process'],
      ['1', 'Wire'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('tab', { name: text, selected: true }).waitFor();
    }
    await page.getByRole('tab', { name: 'Wire' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Turns', selected: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await eventually(() => page.locator('[role=menuitem]:focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('[role=menu]').count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)(
    'has no accessibility faults in any view, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await open(
        await timelineOf('codex', textOf('codex-2.6.0.ndjson')),
        await timelineOf('codex, version 2', textOf('codex-2.6.0.v2.ndjson')),
      );
      await rows().nth(5).click();
      for (const view of ['Wire', 'Turns', 'Capabilities', 'Diagnostics', 'Process', 'Compare']) {
        await page.getByRole('tab', { name: view }).click();
        expect(await accessibilityFaults(page), view).toEqual([]);
      }
    },
  );

  test('compares two recordings', async () => {
    await open(
      await timelineOf('codex', textOf('codex-2.6.0.ndjson')),
      await timelineOf('codex, version 2', textOf('codex-2.6.0.v2.ndjson')),
    );
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByText(/^\d+ equal, [1-9]\d* changed/).waitFor();
    const columns = page.getByRole('columnheader');
    expect(await columns.allTextContents()).toEqual(['Message', 'First: codex', 'Second: codex, version 2']);
    const version = page.getByRole('row').filter({ hasText: '→ initialize protocolVersion' });
    expect(await version.getByRole('cell').allTextContents()).toEqual([expect.any(String), '1', '2']);
    await version.getByRole('button').click();
    await eventually(chosen).toBe('1');
  });

  test('saves a page that shows the same without a network', async () => {
    await open(await timelineOf('codex', textOf('codex-2.6.0.ndjson')));
    const shown = await entries().allTextContents();
    const saved = await save('HTML page');
    const path = join(folder, 'saved.html');
    await writeFile(path, saved);
    await page.context().setOffline(true);
    await page.goto(pathToFileURL(path).href);
    await eventually(() => entries().allTextContents()).toEqual(shown);
    await page.context().setOffline(false);
  });
});

async function save(name: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click();
  return readFile(await (await download).path(), 'utf8');
}

describe('the inspector, with a saved transcript', () => {
  test('shows the transcript, and says that there are no messages', async () => {
    const file = readdirSync(transcripts).map((name) => join(transcripts, name))[0] ?? '';
    const item = readTranscript(file, readFileSync(file, 'utf8'));
    await page.goto(await writePage(folder, [{ format: 1, title: 'saved', items: item ? [item] : [] }]));
    await entries().filter({ hasText: '1900 is divisible by 100' }).waitFor();
    await page
      .getByText('This file is a saved transcript: it has the conversation, and not the messages')
      .waitFor();
    expect(await page.getByText(/\d+ messages?$/).count()).toBe(0);
    expect((await page.getByRole('tab').count()) + (await time().count())).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      expect.stringContaining('HTML page'),
    ]);
    await page.keyboard.press('Escape');
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});

describe('what a hostile agent sends', () => {
  const attack =
    '<img src=x onerror="globalThis.attacked=1"><script>globalThis.attacked=1</script></script></style><a href="javascript:globalThis.attacked=1">here</a>';

  test('stays text in each view', async () => {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: attack } };
    const tool = {
      sessionUpdate: 'tool_call',
      toolCallId: attack,
      title: attack,
      kind: 'edit',
      content: [{ type: 'diff', path: attack, oldText: attack, newText: `${attack}.` }],
    };
    const wire = (dir: string, msg: object) => JSON.stringify({ dir, t: 1, msg: { jsonrpc: '2.0', ...msg } });
    const lines = [
      wire('out', { id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
      wire('in', {
        id: 0,
        result: { protocolVersion: 1, agentInfo: { name: attack, title: attack, version: attack } },
      }),
      wire('out', { id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } }),
      wire('in', { id: 1, result: { sessionId: attack } }),
      wire('in', { method: 'session/update', params: { sessionId: attack, update } }),
      wire('in', { method: 'session/update', params: { sessionId: attack, update: tool } }),
      wire('in', { method: attack, params: {} }),
    ];
    const timeline = await timelineOf('hostile', lines.join('\n'));
    const extra: readonly TimelineItem[] = [
      { type: 'stderr', t: 2, text: attack },
      { type: 'process', t: 3, state: 'exited', exitCode: 1, reason: attack },
    ];
    const other = { ...timeline, items: timeline.items.slice(0, 1) };
    await open({ ...timeline, items: [...timeline.items, ...extra] }, other);
    for (const view of ['Wire', 'Capabilities', 'Diagnostics', 'Process', 'Compare']) {
      await page.getByRole('tab', { name: view }).click();
    }
    await page.getByRole('tab', { name: 'Wire' }).click();
    for (let row = 0; row < (await rows().count()); row++) await rows().nth(row).click();
    expect(await page.evaluate('globalThis.attacked')).toBeUndefined();
    expect(await page.locator('#app img, #app script, #app a[href^="javascript"]').count()).toBe(0);
    expect(await entries().first().textContent()).toContain(attack);
    const saved = await save('HTML page');
    const path = join(folder, 'hostile-saved.html');
    await writeFile(path, saved);
    await page.goto(pathToFileURL(path).href);
    await entries().first().waitFor();
    expect(await page.evaluate('globalThis.attacked')).toBeUndefined();
  });
});

describe.each(dialectNames)('the inspector, with an agent that speaks %s', (dialect) => {
  let live: LiveInspector;
  beforeEach(async () => {
    live = await startInspector(folder, dialect);
    await page.goto(live.url);
    await opened();
  });
  afterEach(async () => {
    // The page goes first: it would notice the end of its server.
    await page.close();
    await live.stop();
  });

  test('goes on after a reload of the page', async () => {
    expect(page.url()).not.toContain('token');
    await say('hello');
    await ended();
    const shown = await entries().allTextContents();
    await page.reload();
    problems.length = 0; // a reload ends the open requests of the page
    await eventually(() => entries().allTextContents()).toEqual(shown);
  });
});
