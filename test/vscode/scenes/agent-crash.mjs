import { isRunning } from '../processes.mjs';
import { until } from '../until.mjs';

/** The agent ends in the middle of a turn. The extension starts it again. */
export const agentCrash = {
  name: 'agent crash',
  async play(stage) {
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.ask('Good morning.');
    await panel.shows('You wrote: “Good morning.”');
    await panel.idle();
    const agents = await workbench.agents('demo-agent');
    await panel.ask('crash');
    await panel.problem.getByText('exited with code 1').first().waitFor();
    await panel.problem.getByText('started again').first().waitFor();
    await panel.idle();
    await until('the agent of before ended', () => !agents.some(isRunning));
    await stage.shootInEachTheme('agent crash');
    await panel.ask('Still there?');
    await panel.shows('You wrote: “Still there?”');
    await panel.idle();
  },
};
