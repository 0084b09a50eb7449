// A panel and its host with the demo agent, all in the page: no server, and no network.
import '../dist/panel-element.js';
import { memoryTransport } from '../src/core/transport/memory/memory-transport.ts';
import { serveDemoAgent } from '../src/programs/demo/agent.ts';
import { memoryStore } from '../src/programs/demo/store.ts';
import { messagePortChannel } from '../src/ui/panel/channel.ts';
import { connectPanel } from '../src/ui/panel/connect.ts';
import { servePanel } from '../src/ui/panel/serve.ts';

/** Starts the agent and asks it for a note, so that the first thing to see is its question. */
export async function startDemo() {
  const { port1, port2 } = new MessageChannel();
  // The sessions outlive a crash of the agent.
  const store = memoryStore();
  const host = servePanel(
    {
      agent() {
        const { transport, agent } = memoryTransport();
        serveDemoAgent(agent, store);
        return transport;
      },
      connect: { clientInfo: { name: 'site', version: '1.0.0' }, onDiagnostic() {} },
      workspace: () => ({ cwd: '/home/ada/garden' }),
      sessions: 'all',
    },
    messagePortChannel(port1),
  );
  const panel = connectPanel(messagePortChannel(port2));
  await host.started;
  void panel.prompt('edit a note about tea');
  const close = () => {
    panel.close();
    void host.close();
    port1.close();
  };
  return { panel, close };
}
