import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { markName } from '../../agents/place.mjs';
import { root } from '../pack.mjs';

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

/** Starts the bridge of the web example, with demo agents. */
async function startBridge(folder) {
  const agent = [process.execPath, join(root, 'dist/demo-agent.js')];
  const program = join(root, 'docs/examples/web/bridge.mjs');
  const bridge = spawn(process.execPath, [program, '--port', '0', '--', ...agent], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [markName]: folder },
  });
  const [url] = await once(createInterface(bridge.stdout), 'line');
  return {
    url,
    async stop() {
      const exited = once(bridge, 'exit');
      bridge.kill();
      await exited;
    },
  };
}
