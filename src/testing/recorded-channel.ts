import type { AcpError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import type { ChannelNote } from '../trace/channel-note.ts';
import type { Transport, TransportListener } from '../transport/transport.ts';
import { type AgentEnd, type MemoryTransportOptions, memoryTransport } from './memory-transport.ts';

/** A channel in memory that can lose a call or a session and go on, as one to a remote agent can. */
export interface RecordedChannel {
  readonly transport: Transport;
  readonly agent: AgentEnd;
  /** Lets the fault happen, after everything that the agent has sent. */
  fail(fault: ChannelNote): void;
  /** Ends the channel with an error, after everything that the agent has sent. */
  break(error: AcpError): void;
}

/** Stands for a fault among the messages, so that it keeps its place. */
const method = '$/recorded_fault';

export function recordedChannel(options: MemoryTransportOptions = {}): RecordedChannel {
  const { transport, agent } = memoryTransport(options);
  /** The faults that have not happened, by their number. An agent cannot cause one that is not among them. */
  const faults = new Map<unknown, ChannelNote>();
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
      listen: (listener) =>
        transport.listen({
          onMessage(message) {
            const fault = take(message);
            if (fault) tell(listener, fault);
            else listener.onMessage(message);
          },
          onDiagnostic: listener.onDiagnostic,
          onActivity: () => listener.onActivity(),
        }),
      pause: () => transport.pause?.(),
      resume: () => transport.resume?.(),
      send: (message) => transport.send(message),
      get queuedBytes() {
        return transport.queuedBytes;
      },
      ended: transport.ended.then((end) => (breakage ? { ...end, error: breakage } : end)),
      close: () => transport.close(),
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

function tell(listener: TransportListener, fault: ChannelNote): void {
  if (fault.type === 'callFailed') listener.onRequestFailed?.(fault.id, fault.error);
  else listener.onSessionLost?.(fault);
}
