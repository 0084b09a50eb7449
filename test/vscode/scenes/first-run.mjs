import assert from 'node:assert/strict';

/**
 * A user opens the panel for the first time, and chooses the agent of the extension: without a command in the settings,
 * the first page says what is known of each.
 */
export const firstRun = {
  name: 'first run',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.show(/^Agent/);
    await panel.start('Demo agent').waitFor();
    await panel.start('Gemini CLI').waitFor();
    await panel.frame
      .getByText(/not installed/i)
      .first()
      .waitFor();
    await stage.shootInEachTheme('choice of an agent');
    await workbench.openPanel();
    await panel.send.waitFor();
    assert.equal(await panel.send.isEnabled(), false, 'there is nothing to send');
    await panel.listsSession('The day that never was');
    await stage.shootInEachTheme('first run');

    await panel.ask('Good morning.');
    await panel.shows('You wrote: “Good morning.”');
    await panel.idle();
    assert.equal(await panel.problem.count(), 0);
    await stage.shootInEachTheme('first turn');

    await panel.openSession('The day that never was');
    await panel.shows('isLeapYear');
    await panel.idle();
    await stage.shootInEachTheme('example session');

    // The choice is remembered.
    await workbench.reloadWindow();
    await workbench.show(/^Agent/);
    await panel.idle();
    assert.equal(await panel.start('Demo agent').count(), 0);
  },
};
