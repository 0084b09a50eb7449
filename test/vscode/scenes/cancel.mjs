import assert from 'node:assert/strict';
import { moreSheep, sheepIn } from '../sheep.mjs';

/** The user cancels a turn while text arrives, and another one while the agent asks. */
export const cancel = {
  name: 'cancel',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('slow');
    await moreSheep(panel, 3);
    await stage.shoot('before the cancel');
    await panel.cancel.click();
    await panel.idle();
    const count = await sheepIn(panel);
    assert.ok(count < 500, 'the agent did not count to the end');
    await stage.shoot('cancel');

    await panel.ask('edit a note');
    await panel.permission.waitFor();
    await panel.cancel.click();
    await panel.idle();
    await panel.permission.waitFor({ state: 'detached' });
    assert.equal(await sheepIn(panel), count, 'no text of the cancelled turn came later');

    await panel.ask('Good evening.');
    await panel.shows('You wrote: “Good evening.”');
    await panel.idle();
    assert.equal(await panel.problem.count(), 0);
  },
};
