import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportConversation } from '../../src/conversation/export.ts';
import { EXAMPLE } from '../unit/render/example.ts';
import { type Browser, launchBrowser } from './browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** A page that shows an exported conversation without this library. */
const viewer = `<!doctype html>
<meta charset="utf-8">
<input type="file" id="file">
<main id="main"></main>
<script type="module">
  const add = (tag, text) => document.querySelector('#main').appendChild(document.createElement(tag)).append(text);
  document.querySelector('#file').addEventListener('change', async ({ target }) => {
    const { format, version, conversation } = JSON.parse(await target.files[0].text());
    if (format !== 'acp-client-sdk/conversation' || version !== 1) throw new Error('Not such a file.');
    for (const entry of conversation.entries) {
      if (entry.kind === 'message') add('p', entry.content.map(({ text = '' }) => text).join(''));
      if (entry.kind !== 'toolCall') continue;
      add('h2', entry.title);
      for (const { type, terminalId } of entry.content) {
        if (type === 'terminal') add('pre', conversation.terminals[terminalId].output);
      }
    }
  });
</script>`;

test('a page of 20 lines shows the messages and the output of an exported conversation', async () => {
  const problems: string[] = [];
  const page = await browser.open({ problems });
  await page.setContent(viewer);
  const buffer = Buffer.from(JSON.stringify(exportConversation(EXAMPLE)));
  await page.setInputFiles('#file', { name: 'transcript.json', mimeType: 'application/json', buffer });
  await page.waitForSelector('pre');
  const shown = await page.evaluate<string>(`document.querySelector('main').textContent`);
  expect(shown).toContain('The test `drains in order` fails one time in ten.');
  expect(shown).toContain('✗ drains in order');
  expect(viewer.split('\n').length).toBeLessThanOrEqual(20);
  expect(problems).toEqual([]);
});
