import { onTestFinished } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { PeerListener } from '../../../src/core/rpc/incoming.ts';
import { Peer } from '../../../src/core/rpc/peer.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';

/** The update with which the listener of {@link openPeer} fails. */
export const broken = 'broken';

export const update = (name: number | string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { name },
});

/** A peer, the events of its listener in order, and the agent's end of the channel. The peer ends with the test. */
export function openPeer(
  onRequest: PeerListener['onRequest'] = async () => ({}),
  change: (transport: Transport) => Transport = (transport) => transport,
) {
  const { transport, agent } = memoryTransport();
  const events: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const sent: Record<string, unknown>[] = [];
  agent.onLine((line) => sent.push(JSON.parse(line)));
  const peer = new Peer(change(transport), {
    onUpdate: (params) => {
      const { name } = params as { readonly name: number | string };
      if (name === broken) throw new Error('a fold that fails');
      events.push(`update ${name}`);
    },
    onNotification: (method) => events.push(`notification ${method}`),
    onRequest: (request) => {
      events.push(`request ${request.method}`);
      return onRequest(request);
    },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onEnd: () => events.push('end'),
  });
  onTestFinished(() => peer.close());
  return { peer, agent, events, diagnostics, sent };
}
