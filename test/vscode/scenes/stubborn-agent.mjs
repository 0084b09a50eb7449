import assert from 'node:assert/strict';
import { isRunning } from '../processes.mjs';
import { until } from '../until.mjs';

/** An agent that does not end by itself, with a child in a process group of its own, must end with the window. */
export const stubbornAgent = {
  name: 'stubborn agent',
  async play(stage) {
    await stage.agent('stubborn.mjs');
    const { panel, ...workbench } = await stage.open();
    const start = async () => {
      await workbench.openPanel();
      await panel.ask('Go.');
      await panel.shows('I stay.');
      const pids = await workbench.agents('stubborn.mjs');
      assert.equal(pids.length, 2, 'the agent and its child run');
      return pids;
    };
    const first = await start();
    await stage.shoot('stubborn agent');
    await workbench.command('Agent: Restart');
    await until('the agent ended after Restart', () => !first.some(isRunning));
    const second = await start();
    await workbench.reloadWindow();
    await until('the agent ended with the window', () => !second.some(isRunning));
  },
};
