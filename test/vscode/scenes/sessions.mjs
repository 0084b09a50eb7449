import assert from 'node:assert/strict';
import { basename } from 'node:path';

/** The list of the sessions: with the directory and the time of each, a search where there are many, and a way to delete. */
export const sessionLists = [3, 500].map((count) => ({
  name: `a list of ${count} sessions`,
  async play(stage) {
    await stage.agent('streams.mjs', '--sessions', String(count));
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    const first = await panel.findSession('Session 1: Fix the login');
    const items = panel.sessionList.getByRole('listitem');
    assert.equal(await items.count(), count);
    assert.match(await first.innerText(), new RegExp(basename(stage.project)), 'it says the directory');
    assert.equal(await items.locator('time').count(), count, 'each has a time');
    await stage.shootInEachTheme(`${count} sessions`);

    const search = panel.sessionList.getByRole('searchbox');
    assert.equal(await search.count(), 1);
    if (count > 3) {
      await search.fill('parser 403');
      await panel.sessionList.getByText('Session 403: Test the parser of dates').waitFor();
      await items.nth(1).waitFor({ state: 'detached' });
      await search.fill('');
      await items.nth(count - 1).waitFor();
    }

    await panel.sessionList.getByRole('button', { name: /^Delete .*Session 2:/ }).click();
    await panel.sessionList.getByRole('button', { name: 'Delete', exact: true }).click();
    await panel.sessionList.getByText('Session 2: Split the store').waitFor({ state: 'detached' });
    assert.equal(await items.count(), count - 1);

    await panel.openSession('Session 3: Test the parser');
    await panel.sessionList.waitFor({ state: 'hidden' });
    await panel.shows('Question 3');
    await panel.idle();
    assert.match(await panel.session.innerText(), /Session 3: Test the parser/);
    assert.match(
      await panel.session.innerText(),
      new RegExp(basename(stage.project)),
      'the directory is visible',
    );
  },
}));
