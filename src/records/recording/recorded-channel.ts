import type { AcpError } from '../../core/base/errors.ts';
import { isJsonObject } from '../../core/base/json.ts';
import {
  type AgentEnd,
  type MemoryTransportOptions,
  memoryTransport,
} from '../../core/transport/memory/memory-transport.ts';
import { type ChannelFault, type Transport, tellFault } from '../../core/transport/transport.ts';

/** A channel in memory that can lose a call or a session and go on, as one to a remote agent can. */
export interface RecordedChannel {
  readonly transport: Transport;
  readonly agent: AgentEnd;
  /** Lets the fault happen, after everything that the agent has sent. */
  fail(fault: ChannelFault): void;
  /** Ends the channel with an error, after everything that the agent has sent. */
  break(error: AcpError): void;
}

/** Stands for a fault among the messages, so that it keeps its place. */
const method = '$/recorded_fault';

export function recordedChannel(options: MemoryTransportOptions = {}): RecordedChannel {
  const { transport, agent } = memoryTransport(options);
  /** The faults that have not happened, by their number. An agent cannot cause one that is not among them. */
  const faults = new Map<unknown, ChannelFault>();
  let count = 0;
  let breakage: AcpError | undefined;
  const take = (message: unknown) => {
    const key = isJsonObject(message) && message['method'] === method ? message['params'] : undefined;
    const fault = faults.get(key);
    faults.delete(key);
    return fault;
  };
  return {
    transport: {
      ...transport,
      listen: (listener) =>
        transport.listen({
          onMessage(message) {
            const fault = take(message);
            if (fault) tellFault(listener, fault);
            else listener.onMessage(message);
          },
          onDiagnostic: listener.onDiagnostic,
          onActivity: () => listener.onActivity(),
        }),
      get queuedBytes() {
        return transport.queuedBytes;
      },
      ended: transport.ended.then((end) => (breakage ? { ...end, error: breakage } : end)),
    },
    agent,
    fail(fault) {
      faults.set(++count, fault);
      agent.send({ jsonrpc: '2.0', method, params: count });
    },
    break(error) {
      breakage = error;
      agent.end();
    },
  };
}
