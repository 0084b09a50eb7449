import assert from 'node:assert/strict';
import { isRunning } from '../processes.mjs';
import { moreSheep } from '../sheep.mjs';
import { until } from '../until.mjs';

/** The process of the extensions is killed while the agent answers. VS Code starts it again. */
export const hostKilled = {
  name: 'extension host killed',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('slow');
    await moreSheep(panel, 3);
    const host = await workbench.host();
    const agents = await workbench.agents('demo-agent');
    const killed = performance.now();
    process.kill(host, 'SIGKILL');
    await until('the agent ended with its editor', () => !agents.some(isRunning));
    stage.note(`the agent ended ${((performance.now() - killed) / 1000).toFixed(1)} s after its editor`);
    await until('VS Code has started the host again', async () => (await workbench.host()) !== host);

    await workbench.openPanel();
    await workbench.agents('demo-agent');
    await panel.shows('slow');
    await stage.shoot('extension host killed');
    await panel.ask('Hello again.');
    await panel.shows('You wrote: “Hello again.”');
    await panel.idle();
    assert.equal(await panel.problem.count(), 0);
  },
};
