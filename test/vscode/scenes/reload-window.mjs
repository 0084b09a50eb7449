import assert from 'node:assert/strict';
import { isRunning } from '../processes.mjs';
import { moreSheep } from '../sheep.mjs';
import { until } from '../until.mjs';

/** The user runs "Developer: Reload Window" while the agent answers. */
export const reloadWindow = {
  name: 'Reload Window during a turn',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('slow');
    await moreSheep(panel, 3);
    await panel.prompt.fill('My draft');
    const agents = await workbench.agents('demo-agent');
    await workbench.reloadWindow();
    await until('the agent of before ended', () => !agents.some(isRunning));

    await workbench.openPanel();
    await panel.shows('slow');
    await panel.shows('🐑');
    assert.equal(await panel.prompt.inputValue(), 'My draft');
    await workbench.agents('demo-agent');
    await stage.shoot('reload window');
    await panel.ask('Hello again.');
    await panel.shows('You wrote: “Hello again.”');
    await panel.idle();
    assert.equal(await panel.problem.count(), 0);
  },
};
