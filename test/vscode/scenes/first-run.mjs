import assert from 'node:assert/strict';

/** A user opens the panel for the first time, and chooses the agent of the extension. */
export const firstRun = {
  name: 'first run',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.show(/^Agent/);
    await panel.start('Demo agent').waitFor();
    await panel.start('Gemini CLI').waitFor();
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
  },
};
