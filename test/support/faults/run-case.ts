import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import type { TransportName } from '../transports/names.ts';
import type { AgentHost } from '../transports/wire.ts';
import type { Recovery } from './cases.ts';
import { Between, type FaultCase, type Passed } from './faults.ts';
import { faultyFetch } from './faulty-http.ts';
import { faultyWire } from './faulty-wire.ts';
import type { Play } from './play.ts';
import { PlayingAgent } from './playing-agent.ts';
import { PlayingClient, type SeenTurn } from './playing-client.ts';

/** How long a case may take, in milliseconds. It needs a small part of it. */
const limitMs = 90_000;

/** What the user saw, and what the agent did. */
export interface Seen {
  readonly end: 'hangs' | 'is open' | 'has ended';
  /** What the client did last. */
  readonly last: string;
  /** The error of the call that failed last. */
  readonly error: unknown;
  readonly turns: readonly SeenTurn[];
  /** The texts of the prompts that arrived at the agent. */
  readonly arrived: readonly string[];
  /** Absent where there was no session. */
  readonly conversation: Conversation | undefined;
  readonly passed: Passed;
  /** The sessions on which two agents worked at the same time. */
  readonly shared: readonly string[];
}

/** Where a play happens. */
export interface Stage {
  readonly transport: TransportName;
  readonly host: AgentHost;
  readonly play: Play;
}

/** Plays a session between a client and an agent while one thing goes wrong. */
export async function runCase(stage: Stage, client: Recovery['client'], given: FaultCase): Promise<Seen> {
  const between = new Between(given);
  const agent = new PlayingAgent(stage.play);
  const playing = new PlayingClient(stage.play, agent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), limitMs);
  });
  try {
    const start = connections(stage, between, agent);
    const end = await Promise.race([playing.play(start, client), late]);
    const { last, error, turns, conversation } = playing;
    const { prompts: arrived, shared } = agent;
    return { end, last, error, turns, arrived, conversation, passed: between, shared };
  } finally {
    clearTimeout(timer);
    await playing.connection?.close();
  }
}

/** Makes connections to the agent, with faults on their way. */
function connections({ transport, host }: Stage, between: Between, agent: PlayingAgent): () => Transport {
  const isHttp = transport === 'streamable-http';
  const fetch = isHttp ? faultyFetch(between) : undefined;
  return () => {
    const wire = isHttp ? host.open({ fetch }) : faultyWire(host.open(), between);
    agent.serve(wire);
    return wire.transport;
  };
}
