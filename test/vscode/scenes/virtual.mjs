import assert from 'node:assert/strict';
import { runningProcesses } from '../../agents/leftovers.mjs';

/** A workspace without a folder on a disk: no agent runs, and the panel says why. */
export const virtual = {
  name: 'virtual workspace',
  async play(stage) {
    const workbench = await stage.open({ query: 'folder=memory-files:/project' });
    const { page, panel } = workbench;
    await page.locator('.explorer-folders-view').getByText('read-me.md').first().waitFor();
    await workbench.show(/^Agent/);
    const text = /virtual|on a disk|on disk/i;
    await page.locator('.sidebar').getByText(text).or(panel.frame.getByText(text)).first().waitFor();
    const running = runningProcesses(stage.server.folder).filter(({ command }) => /demo-agent/.test(command));
    assert.deepEqual(running, []);
    await stage.shootInEachTheme('virtual workspace');
  },
};
