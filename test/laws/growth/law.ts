import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { cpuMs } from '../../support/cpu-time.ts';
import type { Shape } from './shapes.ts';
import type { Stage, StageName } from './stages.ts';

/** What a run of a stage takes. */
interface Measured {
  readonly cpuMs: number;
  /** What it sent, in characters. */
  readonly posted: number;
  /** The memory of what is kept when it has ended. */
  readonly heapKb: number;
}

type Measure = keyof Measured;

/** How much twice as many may take: a multiple of what half of them takes, and what can be by chance. */
const limits: Readonly<Record<Measure, { readonly times: number; readonly more: number }>> = {
  cpuMs: { times: 3, more: 10 },
  posted: { times: 2.5, more: 40_000 },
  heapKb: { times: 3, more: 1500 },
};

/** Stages that look at the conversation after each message, also after those that arrive together. */
const looksAtEachMessage: ReadonlySet<StageName> = new Set([
  'live inspector',
  'inspector of a recording',
  'events of a turn',
]);

/** What is measured. */
function measuresOf(name: StageName, { arrives, isWholeInEvents = false }: Shape): Set<Measure> {
  const measures = new Set<Measure>(['cpuMs', 'posted', 'heapKb']);
  // These stages copy after each message what a snapshot copies.
  if (arrives === 'together' && looksAtEachMessage.has(name)) measures.delete('cpuMs');
  if (name === 'events of a turn' && isWholeInEvents)
    for (const one of ['cpuMs', 'posted'] as const) measures.delete(one);
  return measures;
}

setFlagsFromString('--expose-gc');
// Without it, V8 keeps the layouts of objects that are gone for two more collections.
setFlagsFromString('--retain-maps-for-n-gc=0');
const collectGarbage: () => void = runInNewContext('gc');

function heapKb(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size / 1024;
}

async function measure(stage: Stage, shape: Shape, size: number): Promise<Measured> {
  const { work, close } = await stage(shape, size);
  const heapBefore = heapKb();
  const before = cpuMs();
  const result = await work();
  const after = cpuMs();
  const heap = heapKb() - heapBefore;
  // What is kept must live until the heap was measured.
  expect(result).toHaveProperty('kept');
  await close();
  return { cpuMs: after - before, posted: result.posted, heapKb: heap };
}

const maxRounds = 5;
/** Only for a test that hangs. Each message waits for a turn of the event loop, which can be long on a busy machine. */
const testTimeoutMs = 600_000;
const printsTimes = process.env['GROWTH_TIMES'] !== undefined;

/**
 * Registers a test for each of the shapes. It uses CPU time, because a test that waits for another process must not fail.
 * What is quadratic takes four times as much. Each measure must be within its limit in one of the rounds: the machine can
 * be busy, and the first runs compile the code.
 */
export function testGrowth(name: StageName, stage: Stage, shapes: readonly Shape[]): void {
  test.each(shapes)(
    '[security: linear-time] twice as many $name take about twice the time, the memory and the bytes',
    async (shape) => {
      const open = measuresOf(name, shape);
      const rounds: string[] = [];
      while (rounds.length < maxRounds && open.size > 0) {
        const once = await measure(stage, shape, shape.size);
        const twice = await measure(stage, shape, 2 * shape.size);
        for (const one of [...open]) {
          const { times, more } = limits[one];
          if (twice[one] <= times * once[one] + more) open.delete(one);
        }
        const text = (one: Measure) => `${one} ${once[one].toFixed()} → ${twice[one].toFixed()}`;
        rounds.push(`${text('cpuMs')}, ${text('posted')}, ${text('heapKb')}`);
      }
      if (printsTimes) process.stderr.write(`${name}: ${shape.name}: ${rounds.join('; ')}\n`);
      expect([...open], rounds.join('\n')).toEqual([]);
    },
    testTimeoutMs,
  );
}
