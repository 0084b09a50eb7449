import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import type { AgentHost } from './wire.ts';

/** Agents in this process. */
export async function memoryHost(): Promise<AgentHost> {
  return {
    open() {
      const { transport, agent } = memoryTransport();
      return { transport, agent, breakOff: () => agent.exit() };
    },
    close: async () => {},
  };
}
