import { startBridge } from '../bridge.mjs';

/** An extension that runs in a worker of the browser talks to an agent over a WebSocket. */
export const webExtension = {
  name: 'web extension over WebSocket',
  async play(stage) {
    const bridge = await startBridge(stage.server.folder);
    try {
      const workbench = await stage.open({ settings: { 'webAgent.address': bridge.url } });
      await workbench.command('Web Agent: Ask');
      await workbench.page.getByText('What shall the agent do?').first().waitFor();
      await workbench.input.fill('edit a note about tea');
      await workbench.input.press('Enter');
      const allow = workbench.rows.filter({ hasText: 'Allow' }).first();
      await allow.waitFor();
      await stage.shoot('web extension permission');
      await allow.click();
      await workbench.editor.getByText('Ended: end_turn').waitFor();
      await workbench.editor.getByText('The note stands between the plants and the cat').first().waitFor();
      await stage.shoot('web extension');
    } finally {
      await bridge.stop();
    }
  },
};
