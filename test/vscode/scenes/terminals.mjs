import assert from 'node:assert/strict';
import { runningProcesses } from '../../agents/leftovers.mjs';
import { until } from '../until.mjs';

/** The commands of an agent are terminals of VS Code: the user reads them, ends one with Ctrl+C, and closes one. */
export const terminals = {
  name: 'terminals',
  async play(stage) {
    await stage.agent('commands.mjs');
    // Drawn as text, and not as a picture.
    const settings = { 'terminal.integrated.gpuAcceleration': 'off' };
    const { panel, page, ...workbench } = await stage.open({ settings });
    const shows = (text) => page.locator('.xterm-rows').getByText(text).first().waitFor();
    const running = () =>
      runningProcesses(stage.server.folder).filter(({ command }) => command === 'sleep 300');
    await workbench.openPanel();
    await panel.ask('echo first; sleep 300');
    await until('the command runs', () => running().length === 1);
    await workbench.command('Terminal: Focus Terminal');
    await shows('first');
    await stage.shootInEachTheme('terminal');
    await page.locator('.xterm').first().click();
    await page.keyboard.press('Control+C');
    await panel.shows('Command 1 ended');
    assert.deepEqual(running(), []);

    await panel.ask('echo second; sleep 300');
    await until('the command runs', () => running().length === 1);
    await page.locator('.tabs-list .monaco-list-row').filter({ hasText: 'second' }).first().click();
    await shows('second');
    await workbench.command('Terminal: Kill the Active Terminal Instance');
    await panel.shows('Command 2 ended');
    assert.deepEqual(running(), []);
    await stage.shoot('terminal closed');
  },
};
