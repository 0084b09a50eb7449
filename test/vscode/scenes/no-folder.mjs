import assert from 'node:assert/strict';

/** A window without a folder: nothing runs in the directory of the user, and the panel says how to go on. */
export const noFolder = {
  name: 'no folder open',
  async play(stage) {
    const record = stage.path('calls.ndjson');
    await stage.agent('recorder.mjs', record);
    const { panel, ...workbench } = await stage.open({ query: 'ew=true' });
    await workbench.show(/^Agent/);
    await panel.frame.getByRole('button', { name: 'Open folder', exact: true }).first().waitFor();
    const calls = (await stage.read('calls.ndjson')) ?? '';
    assert.doesNotMatch(calls, /session\/(?:new|load)/, 'no session was made without a folder');
    await stage.shootInEachTheme('no folder open');
  },
};
