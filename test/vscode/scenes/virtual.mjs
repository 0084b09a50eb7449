import assert from 'node:assert/strict';
import { runningProcesses } from '../../agents/leftovers.mjs';

/** A workspace without a folder on a disk: no agent runs, and the panel says why. */
export const virtual = {
  name: 'virtual workspace',
  async play(stage) {
    const workbench = await stage.open({ query: 'folder=memory-files:/project' });
    await workbench.page.locator('.explorer-folders-view').getByText('read-me.md').first().waitFor();
    await workbench.show(/^Agent/);
    await workbench.panel.problem
      .getByText(/not on disk/)
      .first()
      .waitFor();
    const running = runningProcesses(stage.server.folder).filter(({ command }) => /demo-agent/.test(command));
    assert.deepEqual(running, []);
    await stage.shootInEachTheme('virtual workspace');
  },
};
