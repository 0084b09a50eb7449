import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { until } from '../until.mjs';

/** A user finds words in an earlier session, exports it, and reads it after a change of the agent. */
export const transcripts = {
  name: 'transcripts that outlive the agent',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('The needle is in **this** haystack.');
    await panel.shows('You wrote:');
    await panel.idle();
    await panel.new.click();
    await panel.ask('Something else.');
    await panel.shows('Something else.');
    await panel.idle();

    const hits = panel.sessionList.getByRole('list', { name: 'In the transcripts' }).getByRole('button');
    const search = async () => {
      await panel.session.click();
      await panel.sessionList.getByRole('searchbox').fill('needle is in');
      await hits.first().waitFor();
    };
    await search();
    assert.equal(await hits.first().locator('mark').innerText(), 'needle is in');
    await stage.shootInEachTheme('search in transcripts');
    await hits.first().click();
    await panel.shows('You wrote:');
    const page = await panel.content();
    const highlighted = () =>
      page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map((range) => String(range)));
    await until('the words are highlighted in the question and in the answer', async () => {
      const words = await highlighted();
      return words.length >= 2 && words.every((text) => text === 'needle is in');
    });
    await stage.shootInEachTheme('found words');

    const [download] = await Promise.all([
      workbench.page.waitForEvent('download'),
      panel.frame.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^The-needle-is-in.*\.html$/);
    assert.match(await readFile(await download.path(), 'utf8'), /haystack/);

    // Another agent does not have the session.
    await stage.agent('turn.mjs');
    await panel.frame
      .getByRole('heading', { name: 'Agent of a turn', level: 1 })
      .waitFor({ state: 'attached' });
    await panel.idle();
    await search();
    await hits.first().click();
    const readOnly = panel.frame.getByRole('status').filter({ hasText: 'This session can only be read.' });
    await readOnly.waitFor();
    assert.match(await readOnly.innerText(), /demo-agent had this session.*turn-agent/);
    await panel.prompt.waitFor({ state: 'detached' });
    await panel.shows('haystack');
    await stage.shoot('read-only transcript');
    await panel.new.click();
    await panel.idle();
  },
};
