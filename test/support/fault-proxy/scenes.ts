import type { Transport } from '../../../src/transport/transport.ts';
import type { TransportName } from '../transports/names.ts';
import type { AgentHost } from '../transports/wire.ts';
import { type ChannelFault, ChannelFaults, type Passed } from './channel-faults.ts';
import { faultyWire } from './faulty-wire.ts';
import { HttpFaultProxy, type HttpProxyOptions } from './http-proxy.ts';
import type { PlayingAgent } from './playing-agent.ts';
import { webSocketFaultProxy } from './websocket-proxy.ts';

/** What goes wrong between the client and the agent, on one kind of transport. */
export interface SceneFaults {
  /** On a transport with one order. */
  readonly channel?: ChannelFault;
  /** On streamable HTTP. */
  readonly http?: HttpProxyOptions;
}

/** Everything between the client and the agent. */
export interface Scene {
  /** Makes a connection to the agent. */
  start(): Transport;
  readonly passed: Passed;
  close(): Promise<void>;
}

type OpenScene = (host: AgentHost, faults: SceneFaults, agent: PlayingAgent) => Promise<Scene>;

/** The agent's end has the faults. */
const inTheProgram: OpenScene = async (host, { channel }, agent) => {
  const faults = new ChannelFaults(channel);
  return {
    start() {
      const wire = faultyWire(host.open(), faults);
      agent.serve(wire);
      return wire.transport;
    },
    passed: faults,
    close: async () => {},
  };
};

const behindWebSocketProxy: OpenScene = async (host, { channel }, agent) => {
  const faults = new ChannelFaults(channel);
  const proxy = await webSocketFaultProxy(host.url ?? '', faults);
  return {
    start() {
      const wire = host.open(proxy.url);
      agent.serve(wire);
      return wire.transport;
    },
    passed: faults,
    close: async () => proxy.close(),
  };
};

const behindHttpProxy: OpenScene = async (host, { http }, agent) => {
  const proxy = await HttpFaultProxy.listen(host.url ?? '', http);
  return {
    start() {
      const wire = host.open(proxy.url);
      agent.serve(wire);
      return wire.transport;
    },
    passed: proxy,
    close: () => proxy.close(),
  };
};

/** How faults are caused on each transport. */
export const openScene: Readonly<Record<TransportName, OpenScene>> = {
  memory: inTheProgram,
  stdio: inTheProgram,
  websocket: behindWebSocketProxy,
  'streamable-http': behindHttpProxy,
};
