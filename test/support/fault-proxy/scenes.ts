import type { Transport } from '../../../src/transport/transport.ts';
import type { TransportName } from '../transports/names.ts';
import type { AgentHost } from '../transports/wire.ts';
import { type ChannelFault, ChannelFaults, type Passed } from './channel-faults.ts';
import { faultyWire } from './faulty-wire.ts';
import { HttpFaultProxy, type HttpProxyOptions } from './http-proxy.ts';
import { Network } from './network.ts';
import type { PlayingAgent } from './playing-agent.ts';
import { webSocketFaultProxy } from './websocket-proxy.ts';

/** What goes wrong between the client and the agent, on one kind of transport. */
export interface SceneFaults {
  /** On a transport with one order. */
  readonly channel?: ChannelFault;
  /** On streamable HTTP. */
  readonly http?: HttpProxyOptions;
  /** How long the network is away after the fault, in seconds. Only where there is a network. */
  readonly outageSeconds?: number;
}

/** Everything between the client and the agent. */
export interface Scene {
  /** Makes a connection to the agent. */
  start(): Transport;
  readonly passed: Passed;
  /** Absent where no network is between the two sides. */
  readonly network?: Network;
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

const behindWebSocketProxy: OpenScene = async (host, { channel, outageSeconds }, agent) => {
  const network = new Network(outageSeconds);
  const faults = new ChannelFaults(channel, () => network.faultHappened());
  const proxy = await webSocketFaultProxy(host.url ?? '', faults, network);
  return {
    start() {
      const wire = host.open(proxy.url);
      agent.serve(wire);
      return wire.transport;
    },
    passed: faults,
    network,
    close: async () => proxy.close(),
  };
};

const behindHttpProxy: OpenScene = async (host, { http, outageSeconds }, agent) => {
  const network = new Network(outageSeconds);
  const proxy = await HttpFaultProxy.listen(host.url ?? '', { ...http, network });
  return {
    start() {
      const wire = host.open(proxy.url);
      agent.serve(wire);
      return wire.transport;
    },
    passed: proxy,
    network,
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
