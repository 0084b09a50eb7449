import assert from 'node:assert/strict';

/** Without a command in the settings, the user chooses an agent: the first page says what is known of each. */
export const firstPage = {
  name: 'first page with agents',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.show(/^Agent/);
    await panel.start('Demo agent').waitFor();
    await panel.start('Gemini CLI').waitFor();
    await panel.frame
      .getByText(/not installed/i)
      .first()
      .waitFor();
    await stage.shootInEachTheme('first page');
    await panel.start('Demo agent').click();
    await panel.idle();
    await panel.ask('Good morning.');
    await panel.shows('You wrote: “Good morning.”');
    await panel.idle();
    await stage.shoot('first page agent chosen');

    // The choice is remembered.
    await workbench.reloadWindow();
    await workbench.show(/^Agent/);
    await panel.idle();
    assert.equal(await panel.start('Demo agent').count(), 0);
  },
};

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
