import assert from 'node:assert/strict';
import { until } from '../until.mjs';

/** The agent calls the tools of the editor: a file opens at a line, and its problems are those that VS Code shows. */
export const tools = {
  name: 'tools of the editor',
  async play(stage) {
    await stage.agent('tools.mjs');
    await stage.write('broken.json', '{\n  "first": 1,\n  "second": 2 2\n}\n');
    const { panel, page, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('open_file broken.json 3');
    await panel.shows('2 tools. open_file broken.json 3 completed: Opened.');
    await workbench.tab('broken.json').waitFor();
    await page.getByRole('button', { name: /^Ln 3, Col 1/ }).waitFor();
    await panel.idle();

    // VS Code checks the file a moment after it was opened.
    await until('the agent gets the problems of the file', async () => {
      await panel.ask('diagnostics broken.json');
      await panel.idle();
      return /"line":3,"severity":"error"/.test(await panel.text());
    });
    await stage.shoot('tools of the editor');

    await panel.ask('open_file ../outside.txt');
    await panel.shows(/outside\.txt is not in the workspace of the user\./);
    await panel.idle();
    await panel.ask('open_file missing.txt');
    await panel.shows(/missing\.txt cannot be opened\./);
    assert.equal(await workbench.tab('outside.txt').count(), 0);
  },
};
