import assert from 'node:assert/strict';
import { moreSheep, sheepIn } from '../sheep.mjs';

/** The user looks at the files while the agent answers, and comes back. */
export const hideAndShow = {
  name: 'hide and show during a turn',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('slow');
    const before = await moreSheep(panel, 3);
    await panel.prompt.fill('What I write in the meantime');
    await workbench.show(/^Explorer/);
    await panel.prompt.waitFor({ state: 'hidden' });
    await workbench.show(/^Agent/);
    await panel.shows('🐑');
    const after = await sheepIn(panel);
    assert.ok(after > before, 'the text of the meantime is there');
    assert.equal(await panel.prompt.inputValue(), 'What I write in the meantime');
    await moreSheep(panel, after);
    await stage.shoot('hide and show');
    await panel.cancel.click();
    await panel.idle();
    assert.match(await panel.text(), /1 🐑 2 🐑 3 🐑/, 'nothing of the beginning is missing');
  },
};
