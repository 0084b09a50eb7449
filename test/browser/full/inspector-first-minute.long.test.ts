import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveInspector } from '../../../src/programs/inspector/server/serve.ts';
import { GrowingTimeline } from '../../../src/programs/inspector/timeline/growing.ts';
import type { TimelineItem } from '../../../src/programs/inspector/timeline/items.ts';
import { eventually } from '../../support/eventually.ts';
import { accessibilityFaults, startInspector, writePage } from '../inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from '../inspector-tests.ts';

let folder: string;
let page: Page;
let problems: string[];
prepareInspectorTests(860, (prepared) => {
  ({ folder, page, problems } = prepared);
});
const { button, ended, entries, opened, rows, say, tab } = inspectorIn(() => page);

/** The inspector of a demo agent, in the page. */
async function inspect(dialect = 'v2-baseline'): Promise<void> {
  const live = await startInspector(folder, dialect);
  onTestFinished(async () => {
    // The page goes first: it would notice the end of its server.
    await page.close();
    await live.stop();
  });
  await page.goto(live.url);
  await opened();
}

/** Shows a recording that consists of these items. */
async function open(title: string, items: readonly TimelineItem[]): Promise<void> {
  await page.goto(await writePage(folder, [{ format: 1, title, items }]));
}

const message = (t: number, msg: object, dir: 'in' | 'out' = 'in'): TimelineItem => ({
  type: 'message',
  dir,
  t,
  msg: { jsonrpc: '2.0', ...msg },
});
const chunk = (t: number, text: string) => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return message(t, { method: 'session/update', params: { sessionId: 's1', update } });
};

/** The color of something that only information has. */
const colorOf = (selector: string) =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`);

describe('the first minute with the demo agent', () => {
  test('begins with all sessions by their directory, and opens one of them', async () => {
    await inspect();
    const groups = page.getByRole('region', { name: /^\/home\/ada\// });
    await eventually(() => groups.count()).toBe(3);
    expect(await page.locator('body').innerText()).not.toContain('has listed no sessions');
    expect(await accessibilityFaults(page)).toEqual([]);
    const session = page.getByRole('listitem').filter({ hasText: 'The day that never was' });
    await session.getByRole('button', { name: 'Open' }).click();
    await entries().filter({ hasText: 'isLeapYear' }).first().waitFor();
    await button('Sessions').click();
    await eventually(() => groups.count()).toBe(3);
    await button('Transcript').click();
    await entries().first().waitFor();
  });

  test('shows the plan in the transcript, with its messages, and at each time', async () => {
    await inspect();
    await say('Please plan.');
    const plan = entries().filter({ hasText: '☑ Do what little I can' });
    await plan.waitFor();
    await ended();
    await plan.click();
    await eventually(() => page.locator('.row[aria-selected=true]').innerText()).toContain('plan');
    await page
      .locator('.changes')
      .getByText(/the plan/)
      .first()
      .waitFor();
    await page.keyboard.press('g');
    await entries().filter({ hasText: '☐ Do what little I can' }).waitFor();
  });

  test('paints no information as a fault', async () => {
    await inspect('v2-markers');
    await rows().filter({ hasText: 'protocol.dialect_assumed' }).waitFor();
    expect(await colorOf('.row.diagnostic .method')).toBe(await colorOf('.row .dim'));
    expect(await page.locator('.mark').allInnerTexts()).toEqual(['i']);
    expect(await page.locator('.badge.fault').count()).toBe(0);
    await rows().filter({ hasText: 'initialize answer' }).click();
    const caused = page.locator('.caused.info');
    await caused.waitFor();
    expect(await colorOf('.caused')).toBe(await colorOf('.changes'));
  });

  test('has a history of the requests by hand, and repeats one', async () => {
    await inspect();
    await tab('Agent').click();
    await button('Request').click();
    await page.getByText(/^Result, after/).waitFor();
    const sent = page.getByRole('region', { name: 'Sent by hand' }).getByRole('listitem');
    expect(await sent.count()).toBe(1);
    await button('Send again').click();
    await eventually(() => sent.count()).toBe(2);
    await page.getByRole('combobox', { name: 'Method of the request' }).fill('session/close');
    await page.keyboard.press('Tab');
    await sent.first().getByRole('button', { name: 'Edit' }).click();
    const method = page.getByRole('combobox', { name: 'Method of the request' });
    await eventually(() => method.inputValue()).toBe('session/list');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('lists turns and tool calls with their duration, and leads to their messages', async () => {
    await inspect();
    await say('edit a note about tea');
    await button('Allow').click();
    await ended();
    await tab('Turns').click();
    const turns = page.getByRole('listbox', { name: 'Turns and tool calls' }).getByRole('option');
    const call = turns.filter({ hasText: 'Edit NOTES.md' });
    expect(await call.innerText()).toMatch(/\d (ms|s)\b[\s\S]*completed/);
    expect(await turns.filter({ hasText: 'edit a note about tea' }).innerText()).toContain('end_turn');
    await call.click();
    await page.locator('article.marked', { hasText: 'Edit NOTES.md' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await button('Show its messages').click();
    await rows().filter({ hasText: 'session/request_permission answer' }).waitFor();
    expect(await rows().filter({ hasText: 'initialize' }).count()).toBe(0);
  });
});

describe('the first minute with a recording', () => {
  test('keeps each note on one line, and each line in the list', async () => {
    const text = `panic: ${'it fell over '.repeat(30)}\n  at one\n  at two\n`;
    await open('notes', [
      { type: 'stderr', t: 0, text },
      { type: 'process', t: 1, state: 'exited', reason: 'a\nb' },
      message(2, { method: 'x' }),
    ]);
    await rows().nth(2).waitFor();
    const boxes = await rows().evaluateAll((all) =>
      all.map((row) => [row.scrollHeight < 40, row.getBoundingClientRect().top] as const),
    );
    expect(boxes.map(([fits]) => fits)).toEqual([true, true, true]);
    expect(boxes.map(([, top]) => top - (boxes[0]?.[1] ?? 0))).toEqual([0, 24, 48]);
    expect(await rows().nth(0).innerText()).toContain('+2 lines');
    const style = await page.evaluate(`(() => {
      const row = document.querySelector('.row');
      const { textOverflow, overflowX } = getComputedStyle(row);
      return { textOverflow, overflowX, isCut: row.scrollWidth > row.clientWidth };
    })()`);
    expect(style).toEqual({ textOverflow: 'ellipsis', overflowX: 'clip', isCut: true });
  });

  test('shows the pieces of a text as one line, which unfolds', async () => {
    await open('chunks', [chunk(0, 'Good '), chunk(1, 'morning.'), message(2, { method: 'x' })]);
    await rows().filter({ hasText: '2× agent_message_chunk · Good morning.' }).waitFor();
    expect(await rows().count()).toBe(2);
    await rows().first().click();
    await page.keyboard.press('w');
    await page.keyboard.press('Enter');
    await eventually(() => rows().count()).toBe(3);
    await page.keyboard.press('Enter');
    await eventually(() => rows().count()).toBe(2);
    await page.locator('.fold').click();
    await eventually(() => rows().count()).toBe(3);
  });

  test('has a slider on which equal distances are equal times', async () => {
    await open('pause', [
      ...Array.from({ length: 9 }, (_, t) => chunk(t, `${t} `)),
      chunk(60_000, 'at last'),
    ]);
    const time = page.getByRole('slider', { name: 'Time' });
    await time.waitFor();
    expect(await time.getAttribute('max')).toBe('60000');
    await time.fill('30000');
    await eventually(() => time.getAttribute('aria-valuetext')).toBe('9 of 10, at 0.008 s');
    await time.focus();
    await page.keyboard.press('ArrowLeft');
    await eventually(() => time.getAttribute('aria-valuetext')).toBe('8 of 10, at 0.007 s');
  });

  test('folds JSON, and draws what is unfolded', async () => {
    const list = Array.from({ length: 100 }, (_, number) => ({ number }));
    await open('json', [message(0, { method: 'x', params: { list, text: 'z'.repeat(9000) } })]);
    await rows().first().click();
    const json = page.getByRole('region', { name: 'JSON' });
    await json.getByText('[ 100 values ]').waitFor();
    expect(await json.innerText()).not.toContain('"number": 42');
    await json.getByText('[ 100 values ]').click();
    await json.getByText('"number": 42').waitFor();
    await button('Show all 9002 characters').click();
    await eventually(async () => (await json.innerText()).includes('z'.repeat(9000))).toBe(true);
    await json.locator('summary').first().click();
    await json.getByText('{ 3 fields }').waitFor();
  });

  test('says that it is being read', async () => {
    const html = await readFile(join(import.meta.dirname, '../../../dist/inspector.html'), 'utf8');
    const items = Array.from({ length: 200 }, (_, t) => chunk(t, 'word '));
    const inspector = await serveInspector({
      page: html,
      timelines: [new GrowingTimeline('long', items, 'complete')],
    });
    onTestFinished(async () => {
      await page.close();
      await inspector.close();
    });
    let deliver = () => {};
    const delivered = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    await page.route('**/items*', async (route) => {
      await delivered;
      await route.continue();
    });
    await page.goto(inspector.url);
    await page.getByText('reading the recording, 0 %').waitFor();
    await page.getByRole('option', { name: 'The recording is being read.' }).waitFor();
    deliver();
    await page.getByText('recording', { exact: true }).waitFor();
    await rows().filter({ hasText: '200× agent_message_chunk' }).waitFor();
    problems.length = 0; // the browser counts a request that was held back as one that failed
  });
});

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
  // The slider is above its picture.
  const parts = ':is(header.top, .bar, .tabs, .time-bar) :not(canvas)';
  return [...document.querySelectorAll(parts)].filter((element) => !isSeen(element)).map((element) => element.outerHTML.slice(0, 120));
})()`;

test.each([390, 1280])('nothing is cut or covered in %i pixels', async (width) => {
  await page.setViewportSize({ width, height: 844 });
  await inspect();
  const check = async (view: string) => {
    expect([view, await page.evaluate(hiddenParts)]).toEqual([view, []]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  };
  await check('sessions');
  await say('edit a note about tea');
  await button('Allow').click();
  await ended();
  await entries().filter({ hasText: 'Edit NOTES.md' }).first().click();
  await page.locator('.message').waitFor();
  await check('message');
  for (const view of ['Turns', 'Capabilities', 'Diagnostics', 'Process', 'Agent']) {
    await tab(view).click();
    await check(view);
  }
});
