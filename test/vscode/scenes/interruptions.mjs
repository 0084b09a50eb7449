import assert from 'node:assert/strict';
import { isRunning } from '../processes.mjs';
import { until } from '../until.mjs';

/** How far the demo agent has counted: after the prompt `slow`, it counts 500 sheep in about ten seconds. */
async function sheepIn(panel) {
  const numbers = [...(await panel.text()).matchAll(/(\d+) 🐑/g)].map(([, number]) => Number(number));
  return Math.max(0, ...numbers);
}

/** Waits until the agent has counted more sheep than this. */
const moreSheep = (panel, than) =>
  until(
    `more than ${than} sheep`,
    () => sheepIn(panel),
    (count) => count > than,
  );

/** An agent that counts, in an open panel. */
async function counting(stage) {
  const { panel, ...workbench } = await stage.open();
  await workbench.openPanel();
  await panel.ask('slow');
  return { panel, workbench, count: await moreSheep(panel, 3) };
}

/** The agent of the panel answers, and there is no problem. */
async function answers(panel) {
  await panel.ask('Hello again.');
  await panel.shows('You wrote: “Hello again.”');
  await panel.idle();
  assert.equal(await panel.problem.count(), 0);
}

/** The user looks at the files while the agent answers, and comes back. */
export const hideAndShow = {
  name: 'hide and show during a turn',
  async play(stage) {
    const { panel, workbench, count: before } = await counting(stage);
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

/** The user runs "Developer: Reload Window" while the agent answers. */
export const reloadWindow = {
  name: 'Reload Window during a turn',
  async play(stage) {
    const { panel, workbench } = await counting(stage);
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
    await answers(panel);
  },
};

/** The process of the extensions is killed while the agent answers. VS Code starts it again. */
export const hostKilled = {
  name: 'extension host killed',
  async play(stage) {
    const { panel, workbench } = await counting(stage);
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
    await answers(panel);
  },
};

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
