import { LineDecoder } from '../../../src/core/transport/lines.ts';
import type { AgentEnd } from '../../../src/core/transport/memory/memory-transport.ts';
import type { RemoteTransportOptions } from '../../../src/core/transport/remote-options.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { Script } from '../../../src/records/testing/script.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';

/** One connection: the client's end and the agent's. */
export interface Wire {
  readonly transport: Transport;
  readonly agent: AgentEnd;
  /** Breaks the connection in both directions. */
  breakOff(): void;
}

/** The machine of the agents: connections to it go over one kind of transport. */
export interface AgentHost {
  /** Opens a connection. `options` are those of a client of streamable HTTP. */
  open(options?: RemoteTransportOptions): Wire;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** What a connection does for the agent, once there is one. */
export interface AgentChannel {
  /** Sends bytes or text to the client. */
  write(chunk: Uint8Array | string): void;
  /** Ends the agent's output in an orderly way. */
  end(): void;
  /** Closes the agent's input. */
  closeInput(): void;
  /** The agent's program ends. */
  exit(exit: Parameters<AgentEnd['exit']>[0]): void;
}

/** The agent's end of a connection that begins later. What is sent before waits. */
export class LateAgentEnd implements AgentEnd {
  #channel: AgentChannel | undefined;
  #waiting: ((channel: AgentChannel) => void)[] = [];
  readonly #lines = new Set<(line: string) => void>();
  readonly #ends = new Set<() => void>();

  /** The connection has begun. */
  attach(channel: AgentChannel): void {
    this.#channel = channel;
    for (const use of this.#waiting.splice(0)) use(channel);
  }

  /** The client wrote a message. */
  receive(line: string): void {
    for (const listener of this.#lines) listener(line);
  }

  /** The client has ended its output. */
  clientEnded(): void {
    for (const listener of this.#ends) listener();
  }

  write(chunk: Uint8Array | string): void {
    this.#use((channel) => channel.write(chunk));
  }

  send(...messages: readonly unknown[]): void {
    this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  onLine(listener: (line: string) => void): void {
    this.#lines.add(listener);
  }

  onEnd(listener: () => void): void {
    this.#ends.add(listener);
  }

  end(): void {
    this.#use((channel) => channel.end());
  }

  closeInput(): void {
    this.#use((channel) => channel.closeInput());
  }

  exit(exit: Parameters<AgentEnd['exit']>[0] = {}): void {
    this.#use((channel) => channel.exit(exit));
  }

  #use(action: (channel: AgentChannel) => void): void {
    if (this.#channel) action(this.#channel);
    else this.#waiting.push(action);
  }
}

/** Cuts what an agent writes into its lines, for a transport that sends whole messages. */
export function perLine(send: (line: string) => void): (chunk: Uint8Array | string) => void {
  const lines = new LineDecoder(Number.POSITIVE_INFINITY);
  const encoder = new TextEncoder();
  return (chunk) => {
    lines.push(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
    for (let line = lines.take(); typeof line === 'string'; line = lines.take()) send(line);
  };
}

class WireAgent extends Script implements ScriptedAgent {
  readonly transport: Transport;

  constructor({ transport, agent }: Pick<Wire, 'transport' | 'agent'>) {
    super(agent);
    this.transport = transport;
  }
}

/** An agent that follows a script at the other end of a connection. */
export function scriptedAgentOn(wire: Pick<Wire, 'transport' | 'agent'>): ScriptedAgent {
  return new WireAgent(wire);
}
