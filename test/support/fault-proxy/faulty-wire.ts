import type { AgentEnd } from '../../../src/transport/memory/memory-transport.ts';
import type { Wire } from '../transports/wire.ts';
import { perLine } from '../transports/wire.ts';
import { type ChannelFaults, type Direction, type PassingMessage, Row } from './channel-faults.ts';

const encoder = new TextEncoder();

/** A connection over pipes, or in memory, with faults at the agent's end of it. When it breaks, the program ends. */
export function faultyWire({ transport, agent }: Wire, faults: ChannelFaults): Wire {
  return { transport, agent: new FaultyEnd(agent, faults) };
}

class FaultyEnd implements AgentEnd {
  readonly #agent: AgentEnd;
  readonly #lines = new Set<(line: string) => void>();
  readonly #ends = new Set<() => void>();
  readonly #writeLine: (chunk: Uint8Array | string) => void;
  #isBroken = false;

  constructor(agent: AgentEnd, faults: ChannelFaults) {
    this.#agent = agent;
    const pass = this.#passer(faults, 'to the client', (bytes) => agent.write(bytes));
    this.#writeLine = perLine((line) => pass(encoder.encode(`${line}\n`)));
    const receive = perLine((line) => {
      for (const listener of this.#lines) listener(line);
    });
    const take = this.#passer(faults, 'to the agent', receive);
    agent.onLine((line) => take(encoder.encode(`${line}\n`)));
    agent.onEnd(() => this.#tellEnd());
  }

  #passer(faults: ChannelFaults, direction: Direction, write: (bytes: Uint8Array) => void) {
    const row = new Row();
    return (bytes: Uint8Array) => {
      const message: PassingMessage = {
        bytes,
        write: (some) => row.add(() => this.#isBroken || write(some)),
        hold: (until) => row.add(() => until),
        breakOff: () => row.add(() => this.#break()),
      };
      faults.pass(direction, message);
    };
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#agent.exit();
    this.#tellEnd();
  }

  #tellEnd(): void {
    for (const listener of this.#ends) listener();
  }

  write(chunk: Uint8Array | string): void {
    this.#writeLine(chunk);
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
    this.#agent.end();
  }

  closeInput(): void {
    this.#agent.closeInput();
  }

  exit(exit: Parameters<AgentEnd['exit']>[0] = {}): void {
    this.#agent.exit(exit);
  }
}
