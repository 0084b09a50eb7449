import type { TransportName } from '../transports/names.ts';
import { openHost } from '../transports/table.ts';
import { type CasesOf, recoveries } from './cases.ts';
import { judge, type Verdict } from './judge.ts';
import { recordedPlay } from './play.ts';
import { runCase } from './run-case.ts';

/** How many cases run at the same time. Most of their time they wait. */
const atOnce = 16;

export interface SweepOptions {
  readonly transport: TransportName;
  readonly version: 1 | 2;
  readonly cases: CasesOf;
  /** Whether each case is played with each way to go on after a loss, or with one of them in turn. */
  readonly recoveries: 'each' | 'in turns';
}

export interface Swept {
  /** How many cases came to each verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** What must not happen, with the case in which it did. */
  readonly problems: readonly string[];
}

/** Plays the recorded session once for each case. */
export async function sweep(options: SweepOptions): Promise<Swept> {
  const { transport, version } = options;
  const host = await openHost(transport);
  const counts: Record<Verdict, number> = { unchanged: 0, refused: 0, gap: 0, ended: 0 };
  const problems: string[] = [];
  const ways = recoveries[version];
  for (const [turn, { client, reopening }] of ways.entries()) {
    const stage = { transport, host, play: await recordedPlay(version, reopening) };
    const reference = await runCase(stage, client, { name: 'nothing goes wrong' });
    // Such that each fault meets each way to go on at some messages.
    const isDue = (index: number) =>
      options.recoveries !== 'in turns' || (index + Math.floor(index / 7)) % ways.length === turn;
    const waiting = options.cases(reference.passed).filter((_case, index) => isDue(index));
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const judgement = judge(await runCase(stage, client, next), reference);
        counts[judgement.verdict]++;
        const where = `version ${version}, ${client} (${reopening}), ${next.name}`;
        problems.push(...judgement.problems.map((problem) => `${where}: ${problem}`));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }
  return { counts, problems };
}
