import { onTestFinished } from 'vitest';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { TransportName } from './names.ts';
import { stdioHost } from './stdio.ts';
import { streamableHttpHost } from './streamable-http.ts';
import { webSocketHost } from './websocket.ts';
import { type AgentHost, scriptedAgentOn } from './wire.ts';

/** Agents in this process. */
async function memoryHost(): Promise<AgentHost> {
  return {
    open() {
      const { transport, agent } = memoryTransport();
      return { transport, agent, breakOff: () => agent.exit() };
    },
    close: async () => {},
  };
}

const hosts: Readonly<Record<TransportName, () => Promise<AgentHost>>> = {
  memory: memoryHost,
  stdio: stdioHost,
  websocket: webSocketHost,
  'streamable-http': streamableHttpHost,
};

/**
 * Whether all messages to the client have one order. Where they have not, an answer that comes on another stream than the
 * updates can be followed by updates that the agent sent after it.
 */
export const hasOneOrder: Readonly<Record<TransportName, boolean>> = {
  memory: true,
  stdio: true,
  websocket: true,
  'streamable-http': false,
};

/** Starts a host of agents, which ends with the test. */
export async function openHost(name: TransportName): Promise<AgentHost> {
  const host = await hosts[name]();
  onTestFinished(() => host.close());
  return host;
}

/** A scripted agent at the other end of a new connection. It ends with the test. */
export async function scriptedAgentOver(name: TransportName): Promise<ScriptedAgent> {
  return scriptedAgentOn((await openHost(name)).open());
}
