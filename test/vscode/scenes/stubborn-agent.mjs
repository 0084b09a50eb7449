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
      await panel.ask('Go.');
      await panel.shows('I stay.');
      const pids = await workbench.agents('stubborn.mjs');
      assert.equal(pids.length, 2, 'the agent and its child run');
      return pids;
    };
    await workbench.openPanel();
    const first = await start();
    await stage.shoot('stubborn agent');
    const noteEnd = async (what, pids, since) => {
      await until(`the agent ended ${what}`, () => !pids.some(isRunning));
      stage.note(`the agent ended ${((performance.now() - since) / 1000).toFixed(1)} s ${what}`);
    };
    await workbench.command('Agent: Restart');
    await noteEnd('after Restart', first, performance.now());
    // The agent does not have the session any more. Its transcript is shown.
    await panel.shows('I stay.');
    await panel.startOver.click();
    const second = await start();
    const reloaded = performance.now();
    await Promise.all([workbench.reloadWindow(), noteEnd('after Reload Window', second, reloaded)]);
  },
};
