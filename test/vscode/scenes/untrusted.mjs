import assert from 'node:assert/strict';
import { runningProcesses } from '../../agents/leftovers.mjs';

/** A folder that the user does not trust: no agent runs, and the panel says why. */
export const untrusted = {
  name: 'untrusted workspace',
  async play(stage) {
    const settings = {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    };
    const workbench = await stage.open({ settings });
    await workbench.show(/^Agent/);
    await workbench.panel.problem.getByText(/trust/).first().waitFor();
    const running = runningProcesses(stage.server.folder).filter(({ command }) => /demo-agent/.test(command));
    assert.deepEqual(running, []);
    await workbench.panel.remedy('Manage trust').waitFor();
    assert.equal(await workbench.panel.remedy('Start again').count(), 0, 'a start would fail again');
    await stage.shootInEachTheme('untrusted workspace');
    await workbench.panel.remedy('Manage trust').click();
    await workbench.page.getByText(/^In a trusted (?:folder|window|workspace)$/i).waitFor();
  },
};
