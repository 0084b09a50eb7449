import assert from 'node:assert/strict';
import { until } from '../until.mjs';

/** The agent asks for permission, writes a file, and runs a command. */
export const turn = {
  name: 'turn with permission, diff and terminal',
  async play(stage) {
    await stage.agent('turn.mjs');
    // VS Code colors Python without a language server, which is not complete here.
    await stage.write('leap.py', 'def is_leap_year(year):\n    return year % 4 == 0\n');
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('Correct the leap years.');
    await panel.answer('Allow').first().waitFor();
    await panel.permission.locator('[data-change=added]').filter({ hasText: 'year % 400' }).first().waitFor();
    assert.match(await stage.read('leap.py'), /year % 4 == 0$/m, 'nothing is written before the answer');
    // The start page of the documentation shows the question beside the change.
    await panel.permission.getByRole('button', { name: 'Open diff' }).click();
    const inserted = workbench.page.locator('.monaco-diff-editor .line-insert').first();
    await inserted.waitFor();
    await stage.shootInEachTheme('permission');

    await panel.permission.getByRole('button', { name: 'Allow', exact: true }).click();
    await panel.shows('Done. The command ended with 0.');
    await panel.idle();
    assert.equal(await panel.permission.count(), 0);
    await until(
      'the file is written',
      () => stage.read('leap.py'),
      (text) => text.includes('year % 400 == 0'),
    );
    const command = await panel.openTool('Check the calendar');
    await command.getByText('all is well').first().waitFor();
    await stage.shootInEachTheme('turn');
  },
};
