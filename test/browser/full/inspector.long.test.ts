import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { renderEntryHtml, renderPlanHtml } from '../../../src/entries/conversation.ts';
import { foldTraffic } from '../../../src/entries/testing.ts';
import type { TimelineItem } from '../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../src/programs/inspector/timeline/read.ts';
import { readTranscript } from '../../../src/programs/inspector/timeline/read-transcript.ts';
import { eventually } from '../../support/eventually.ts';
import { recordings, serveRecordings } from '../inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from '../inspector-tests.ts';

const names = readdirSync(recordings).filter((name) => name.endsWith('.ndjson'));
const transcripts = join(import.meta.dirname, '../../fixtures/transcripts');
const textOf = (name: string) => readFileSync(join(recordings, name), 'utf8');

let page: Page;
prepareInspectorTests(900, (prepared) => {
  ({ page } = prepared);
});
const { button, chosenRow, entries, rows, search, tab, time } = inspectorIn(() => page);

async function open(shown: Readonly<Record<string, readonly TimelineItem[]>>): Promise<void> {
  await page.goto(await serveRecordings(shown));
  await page
    .locator('.chip')
    .getByText(/^(recording|transcript)$/)
    .waitFor();
}

/** Shows recordings of the tests, or these items. */
const openRecordings = async (...shown: readonly string[]) =>
  open(
    Object.fromEntries(
      await Promise.all(shown.map(async (name) => [name, await readTimeline(textOf(name))])),
    ),
  );
const openItems = (...items: readonly TimelineItem[]) => open({ recording: items });
const codex = 'codex-2.6.0.ndjson';
const codexV2 = 'codex-2.6.0.v2.ndjson';

/** The number of the chosen message. */
const chosen = async () => (await chosenRow().textContent())?.trim().split(' ')[0];
/** The number of the message whose time is shown. */
const shownNumber = async () => (await time().getAttribute('aria-valuetext'))?.split(' ')[0];
const entryHtml = () =>
  page.locator('article > div').evaluateAll((all) => all.map(({ innerHTML }) => innerHTML));

/** HTML as the browser writes it. */
const normalized = (html: readonly string[]): Promise<readonly string[]> =>
  page.locator('body').evaluate(
    ({ ownerDocument }, all) =>
      all.map((each) => {
        const box = ownerDocument.createElement('div');
        box.innerHTML = each;
        return box.innerHTML;
      }),
    html,
  );

const message = (t: number, msg: object): TimelineItem => ({
  type: 'message',
  dir: 'in',
  t,
  msg: { jsonrpc: '2.0', ...msg },
});
const chunk = (t: number, text: string) => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return message(t, { method: 'session/update', params: { sessionId: 's1', update } });
};

describe('the inspector, with a recording', () => {
  test.each(names)('%s shows what fold shows', async (name) => {
    const { sessions } = await foldTraffic(textOf(name));
    await openRecordings(name);
    const choice = page.getByRole('combobox', { name: 'Session', exact: true });
    await eventually(() => choice.locator('option').count()).toBe(sessions.length);
    for (const [number, { conversation }] of sessions.entries()) {
      await choice.selectOption(String(number));
      const expected = conversation.entries.map((entry) => renderEntryHtml(conversation, entry));
      // The plans are one article at the end.
      if (conversation.plans.length > 0) expected.push(conversation.plans.map(renderPlanHtml).join(''));
      await eventually(entryHtml).toEqual(await normalized(expected));
    }
  });

  test('leads from a request to its answer, with the time between them', async () => {
    await openRecordings(codex);
    await rows().filter({ hasText: 'initialize' }).first().click();
    const request = await chosen();
    await button(/^by #/).click();
    await page.getByText(/answer after 698 ms/).waitFor();
    await button(/^to #/).click();
    await eventually(chosen).toBe(request);
  });

  test('misses no key before its first frame', async () => {
    await page.addInitScript('requestAnimationFrame = () => 0;');
    await page.goto(await serveRecordings({ recording: [chunk(0, 'Good')] }));
    await search().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('initialize');
    expect(await search().inputValue()).toBe('initialize');
  });

  test('does everything with the keyboard', async () => {
    await openRecordings(codex);
    const focus = () => page.evaluate('document.activeElement.className');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('t');
    await eventually(focus).toContain('entry');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await eventually(() => page.locator('article:nth-of-type(3):focus').count()).toBe(1);
    await page.keyboard.press('Enter');
    await chosenRow().waitFor();
    const first = await chosen();
    await page.keyboard.press('w');
    await eventually(focus).toBe('rows');
    await page.keyboard.press('ArrowDown');
    await eventually(chosen).toBe(String(Number(first) + 1));
    await page.keyboard.press('g');
    await eventually(shownNumber).toBe(String(Number(first) + 1));
    await page.keyboard.press(']');
    await eventually(shownNumber).toBe(String(Number(first) + 2));
    await page.keyboard.press('l');
    await page.keyboard.press('/');
    await page.keyboard.type('initialize');
    await eventually(() => page.locator('.row:not(:has-text("initialize"))').count()).toBe(0);
    await page.keyboard.press('Escape');
    for (const [key, name] of [
      ['3', 'Capabilities'],
      ['2', 'Turns'],
      ['1', 'Wire'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('tab', { name, selected: true }).waitFor();
    }
    await tab('Wire').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Turns', selected: true }).waitFor();
  });

  test('begins with the differences of two recordings', async () => {
    await openRecordings(codex, codexV2);
    await page.getByText(/\d+ equal, [1-9]\d* changed/).waitFor();
    const initialize = page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: '→ initialize' });
    await initialize.getByText('protocolVersion: 1 → 2').waitFor();
    await button('#1 → initialize').click();
    await eventually(chosen).toBe('1');
  });

  test('saves a recording that shows the same', async () => {
    await openRecordings(codex);
    const shown = await entryHtml();
    const download = page.waitForEvent('download');
    await button('Save').click();
    const saved = await readFile(await (await download).path(), 'utf8');
    await openItems(...(await readTimeline(saved)));
    await eventually(entryHtml).toEqual(shown);
  });

  test('keeps each note on one line, and each line in the list', async () => {
    const text = `panic: ${'it fell over '.repeat(30)}\n  at one\n  at two\n`;
    await openItems(
      { type: 'stderr', t: 0, text },
      { type: 'process', t: 1, state: 'exited', reason: 'a\nb' },
      message(2, { method: 'x' }),
    );
    await rows().nth(2).waitFor();
    const boxes = await rows().evaluateAll((all) =>
      all.map((row) => [row.scrollHeight < 40, row.getBoundingClientRect().top] as const),
    );
    expect(boxes.map(([fits]) => fits)).toEqual([true, true, true]);
    expect(boxes.map(([, top]) => top - (boxes[0]?.[1] ?? 0))).toEqual([0, 24, 48]);
    expect(await rows().nth(0).innerText()).toContain('+2 lines');
    await rows().nth(0).click();
    const stderr = page.getByRole('region', { name: 'stderr until here' });
    await eventually(() => stderr.textContent()).toBe(text);
  });

  test('shows the pieces of a text as one line, and each of them on its way through time', async () => {
    await openItems(chunk(0, 'Good '), chunk(1, 'morning.'), message(2, { method: 'x' }));
    await rows()
      .filter({ hasText: /2×.* agent_message_chunk · Good morning\./ })
      .waitFor();
    expect(await rows().count()).toBe(2);
    await rows().first().click();
    await page.getByRole('region', { name: 'JSON' }).getByText('"Good "').waitFor();
    await button('Next message').click();
    await button('Previous message').click();
    await page.getByRole('region', { name: 'JSON' }).getByText('"morning."').waitFor();
  });

  test('has a slider that shortens long pauses and says so, and plays without them', async () => {
    await openItems(...Array.from({ length: 9 }, (_, t) => chunk(t, `${t} `)), chunk(3_600_000, 'at last'));
    await rows().first().waitFor();
    expect(await time().getAttribute('max')).toBe('2008');
    await page.getByText('pauses shortened').waitFor();
    await time().fill('1500');
    await eventually(() => time().getAttribute('aria-valuetext')).toBe('9 of 10, at 0.008 s');
    await time().focus();
    await page.keyboard.press('ArrowLeft');
    await eventually(() => time().getAttribute('aria-valuetext')).toBe('8 of 10, at 0.007 s');
    await button('Play').click();
    await button('Pause').waitFor();
    await eventually(shownNumber).toBe('10');
    await button('Play').waitFor();
  });

  test('draws a part of many entries, and leads to the others', async () => {
    const call = (t: number) => {
      const update = { sessionUpdate: 'tool_call', toolCallId: `${t}`, title: `Call ${t}` };
      return JSON.stringify({
        ...message(t, { method: 'session/update', params: { sessionId: 's1', update } }),
      });
    };
    const lines = Array.from({ length: 1000 }, (_, t) => call(t));
    const start = { id: 0, method: 'initialize', params: { protocolVersion: 1 } };
    const answer = message(0, { id: 0, result: { protocolVersion: 1 } });
    const recording = [{ ...answer, dir: 'out', msg: { jsonrpc: '2.0', ...start } }, answer].map((each) =>
      JSON.stringify(each),
    );
    await openItems(...(await readTimeline([...recording, ...lines].join('\n'))));
    await eventually(() => entries().count()).toBe(400);
    await button('600 entries after').click();
    await button('200 entries before').waitFor();
    await search().fill('"Call 900"');
    await rows().filter({ hasText: 'Call 900' }).click();
    await page.locator('article.marked', { hasText: 'Call 900' }).waitFor();
  });

  test('shows a long message up to a limit, and then all of it', async () => {
    await openItems(message(0, { method: 'x', params: { text: 'z'.repeat(30_000) } }));
    await rows().first().click();
    const json = page.getByRole('region', { name: 'JSON' });
    const shown = async () => (await json.textContent())?.includes('z'.repeat(30_000));
    expect(await shown()).toBe(false);
    await button(/^Show all 300\d\d characters/).click();
    await eventually(shown).toBe(true);
  });

  test('shows a saved transcript, and says that there are no messages', async () => {
    const file = readdirSync(transcripts).map((name) => join(transcripts, name))[0] ?? '';
    const item = readTranscript(file, readFileSync(file, 'utf8'));
    await openItems(...(item ? [item] : []));
    await entries().filter({ hasText: '1900 is divisible by 100' }).waitFor();
    await rows().filter({ hasText: 'a saved transcript, without messages' }).click();
    await page.getByRole('region', { name: 'JSON' }).getByText('"/home/user/project"').waitFor();
    expect(
      await entries()
        .getByText(/\d messages?$/)
        .count(),
    ).toBe(0);
    expect(await button('Save').count()).toBe(0);
  });
});

test('what a hostile agent sends stays text in each view', async () => {
  const attack =
    '<img src=x onerror="globalThis.attacked=1"><script>globalThis.attacked=1</script></script></style><a href="javascript:globalThis.attacked=1">here</a>';
  const tool = {
    sessionUpdate: 'tool_call',
    toolCallId: attack,
    title: attack,
    kind: 'edit',
    content: [{ type: 'diff', path: attack, oldText: attack, newText: `${attack}.` }],
  };
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: attack } };
  const wire = (dir: string, msg: object) => JSON.stringify({ dir, t: 1, msg: { jsonrpc: '2.0', ...msg } });
  const items = await readTimeline(
    [
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
    ].join('\n'),
  );
  const notes: readonly TimelineItem[] = [
    { type: 'stderr', t: 2, text: attack },
    { type: 'process', t: 3, state: 'exited', exitCode: 1, reason: attack },
  ];
  await open({ [attack]: [...items, ...notes], other: items.slice(0, 1) });
  for (const view of ['Turns', 'Capabilities', 'Compare', 'Wire']) await tab(view).click();
  for (let row = 0; row < (await rows().count()); row++) await rows().nth(row).click();
  expect(await page.evaluate('globalThis.attacked')).toBeUndefined();
  expect(await page.locator('#app img, #app script, #app a[href^="javascript"]').count()).toBe(0);
  expect(await entries().first().textContent()).toContain(attack);
});
