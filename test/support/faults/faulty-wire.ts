import { LateAgentEnd, perLine, type Wire } from '../transports/wire.ts';
import { type Between, type Direction, Row } from './faults.ts';

const encoder = new TextEncoder();

/** A connection with one order in each direction, with faults at the agent's end of it. */
export function faultyWire({ transport, agent, breakOff }: Wire, between: Between): Wire {
  const end = new LateAgentEnd();
  let isBroken = false;
  const breakOnce = () => {
    if (isBroken) return;
    isBroken = true;
    breakOff();
    end.clientEnded();
  };
  const passLine = (direction: Direction, deliver: (bytes: Uint8Array) => void) => {
    const row = new Row();
    const write = (bytes: Uint8Array) => isBroken || deliver(bytes);
    return perLine((line) => {
      const bytes = encoder.encode(`${line}\n`);
      between.message(direction, row.message(bytes, { write, breakOff: breakOnce }));
    });
  };
  const toAgent = passLine(
    'to the agent',
    perLine((line) => end.receive(line)),
  );
  agent.onLine((line) => toAgent(`${line}\n`));
  agent.onEnd(() => end.clientEnded());
  end.attach({
    write: passLine('to the client', (bytes) => agent.write(bytes)),
    end: () => agent.end(),
    closeInput: () => agent.closeInput(),
    exit: (exit) => agent.exit(exit),
  });
  return { transport, agent: end, breakOff };
}
