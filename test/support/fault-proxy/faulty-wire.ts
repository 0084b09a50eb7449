import { LateAgentEnd, perLine, type Wire } from '../transports/wire.ts';
import { type ChannelFaults, type Direction, type PassingMessage, Row } from './channel-faults.ts';

const encoder = new TextEncoder();

/** A connection over pipes, or in memory, with faults at the agent's end of it. When it breaks, the program ends. */
export function faultyWire({ transport, agent }: Wire, faults: ChannelFaults): Wire {
  const end = new LateAgentEnd();
  let isBroken = false;
  const breakOff = () => {
    if (isBroken) return;
    isBroken = true;
    agent.exit();
    end.clientEnded();
  };
  const passLine = (direction: Direction, write: (bytes: Uint8Array) => void) => {
    const row = new Row();
    return (line: string) => {
      const message: PassingMessage = {
        bytes: encoder.encode(`${line}\n`),
        write: (some) => row.add(() => isBroken || write(some)),
        hold: (until) => row.add(() => until),
        breakOff: () => row.add(breakOff),
      };
      faults.pass(direction, message);
    };
  };
  agent.onLine(
    passLine(
      'to the agent',
      perLine((line) => end.receive(line)),
    ),
  );
  agent.onEnd(() => end.clientEnded());
  end.attach({
    write: perLine(passLine('to the client', (bytes) => agent.write(bytes))),
    end: () => agent.end(),
    closeInput: () => agent.closeInput(),
    exit: (exit) => agent.exit(exit),
  });
  return { transport, agent: end };
}
