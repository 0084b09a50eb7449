import assert from 'node:assert/strict';

/** What the user writes while the first message makes a session goes to the prompt. */
export const firstMessage = {
  name: 'the focus stays in the prompt',
  async play(stage) {
    await stage.agent('streams.mjs');
    const { panel, page, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.prompt.fill('stream mixed 1 120');
    await panel.prompt.press('Enter');
    await panel.shows('Part 1');
    await page.keyboard.type('And then');
    assert.equal(await panel.prompt.inputValue(), 'And then');
    await page.keyboard.press('Escape');
    await panel.idle();
  },
};
