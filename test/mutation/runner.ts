import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest';

/** What one process of the tests gets. */
export interface Work {
  /** The globs of the tests, the fastest first. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The ids of the changes that the process makes. */
  readonly wanted: readonly string[];
  /** The ids of those that were noticed, and the tests that have had all of theirs, in a process that ended early. */
  readonly noticed: readonly string[];
  readonly done: readonly string[];
  /** The file with what happened, one object in each line. */
  readonly log: string;
  /** The file with the test and the change of this moment. */
  readonly current: string;
  /** A test that takes longer without a change gets none now, and how long tests took, in milliseconds. */
  readonly longestMs: number;
  readonly durations: Readonly<Record<string, number>>;
  /** How long a test with a change may take at least, before it counts as one that waits for ever. */
  readonly limitMs: number;
}

/** What the code of Stryker's instrumenter reads and writes. */
interface Switch {
  activeMutant: string | undefined;
  currentTestId: string | undefined;
  hitCount: number;
  hitLimit: number;
  mutantCoverage:
    | { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
    | undefined;
}

/** What the next repetition of a test is for. */
type Step =
  /** It notes which changes the test reaches. */
  | { readonly type: 'first' }
  /** It finds out whether the test can be repeated in this process. */
  | { readonly type: 'again' }
  | { readonly type: 'changed'; readonly id: string }
  /** After a change that was noticed: it finds out whether the change has left something behind. */
  | { readonly type: 'clean'; readonly tries: number }
  | { readonly type: 'over' };

const work: Work = JSON.parse(readFileSync(process.env['MUTATION_WORK'] ?? '', 'utf8'));
/** A change of a loop can make it endless. */
const loops = 10_000;

class Changes implements Switch {
  activeMutant: string | undefined;
  currentTestId: string | undefined;
  hitLimit = 0;
  mutantCoverage: Switch['mutantCoverage'];
  #hitCount = 0;

  get hitCount(): number {
    return this.#hitCount;
  }

  set hitCount(count: number) {
    this.#hitCount = count;
    if (count < this.hitLimit + loops) return;
    // The code that is in the loop has caught the error of the limit.
    note({ noticed: this.activeMutant, why: 'It goes on for ever.' });
    process.kill(process.pid, 'SIGKILL');
  }
}

const changes = new Changes();
Reflect.set(globalThis, '__stryker__', changes);
const noticed = new Set<string>(work.noticed);
const isWanted = new Set<string>(work.wanted);
const done = new Set<string>(work.done);
/** Tests replace the clock. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;
const startImmediate = globalThis.setImmediate;

const tickMs = 50;

function note(entry: object): void {
  appendFileSync(work.log, `${JSON.stringify(entry)}\n`);
}

/** Notes which changes are in code that runs when the sources are loaded, for example in a table. */
function noteLoaded(): void {
  const loaded = Object.keys(changes.mutantCoverage?.static ?? {}).filter((id) => isWanted.has(id));
  if (changes.mutantCoverage) changes.mutantCoverage.static = {};
  if (loaded.length > 0) note({ loaded });
}

/** Whether a test has run with a change. */
let hasChanged = false;

/** Ends at once: the test is tried again in another process. */
function endProcess(): void {
  writeFileSync(work.current, JSON.stringify({ isAgain: true }));
  process.kill(process.pid, 'SIGKILL');
}

/** Counts as the number of repetitions that are left. Vitest reads it before each one. */
class Repetitions {
  step: Step = { type: 'first' };

  valueOf(): number {
    return this.step.type === 'over' ? -1 : Number.POSITIVE_INFINITY;
  }
}

/** Repeats each test with one change after the other, of those that it reaches and that no test has noticed. */
export default class ChangingRunner extends TestRunner {
  #repetitions = new Repetitions();
  #startedAt = 0;
  #limitMs = 0;
  #firstMs = 0;
  #hits: Readonly<Record<string, number>> = {};
  #waiting: string[] = [];
  #unhandled: unknown;

  /** A file that cannot be loaded notices nothing. */
  onCollected(files: readonly RunnerTestFile[]): void {
    for (const { name, result } of files)
      for (const { message } of result?.errors ?? [])
        note({ test: name, problem: `It cannot be loaded: ${message}` });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    const isOver = work.wanted.every((id) => noticed.has(id));
    const isLater = (work.durations[nameOf(test)] ?? 0) > work.longestMs;
    if (isOver || isLater || done.has(nameOf(test)) || test.fails) test.mode = 'skip';
    if (test.mode !== 'run' && test.mode !== 'queued') return;
    this.#repetitions = new Repetitions();
    // Vitest compares it with a number.
    test.repeats = this.#repetitions as unknown as number;
    this.#limitMs = 0;
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    const { step } = this.#repetitions;
    const id = step.type === 'changed' ? step.id : undefined;
    writeFileSync(
      work.current,
      JSON.stringify({ id, test: nameOf(test), limitMs: this.#limitMs, hasChanged }),
    );
    this.#unhandled = undefined;
    changes.currentTestId = test.id;
    changes.hitCount = 0;
    changes.hitLimit = 1000 + 100 * (this.#hits[id ?? ''] ?? 0);
    this.#startedAt = performance.now();
    if (id !== undefined) hasChanged = true;
    activate(id);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      let left = this.#limitMs / tickMs;
      // Each tick waits for its turn, so that the limit is longer on a busy machine.
      const tick = () => {
        if (--left < 0) reject(new Error('The test takes too long.'));
        else timer = startTimer(tick, tickMs);
      };
      if (this.#limitMs > 0) tick();
    });
    const onError = (error: unknown) => {
      this.#unhandled ??= error ?? 'unknown';
    };
    process.on('unhandledRejection', onError);
    process.on('uncaughtException', onError);
    try {
      await Promise.race([run(), late]);
    } finally {
      stopTimer(timer);
      await new Promise((resolve) => startImmediate(resolve));
      process.off('unhandledRejection', onError);
      process.off('uncaughtException', onError);
    }
  }

  onAfterRetryTask(test: RunnerTestCase): void {
    activate(undefined);
    const ms = Math.round(performance.now() - this.#startedAt);
    const { result } = test;
    if (!result) return;
    const [error] = result.errors ?? [];
    const hasFailed = result.state === 'fail' || this.#unhandled !== undefined;
    const why = error?.message ?? String(this.#unhandled);
    const { step } = this.#repetitions;
    this.#repetitions.step = this.#next(test, step, ms, hasFailed ? why.slice(0, 200) : undefined);
    if (step.type === 'first' || !hasFailed) return;
    result.state = 'pass';
    delete result.errors;
  }

  #next(test: RunnerTestCase, step: Step, ms: number, failure: string | undefined): Step {
    const name = nameOf(test);
    const end = (problem?: string): Step => {
      // A change can leave something behind, which then makes other tests fail.
      if (problem !== undefined && hasChanged) endProcess();
      note({ test: name, ms: this.#firstMs, ...(problem !== undefined && { problem }) });
      return { type: 'over' };
    };
    const change = (): Step => {
      let id = this.#waiting.shift();
      while (id !== undefined && noticed.has(id)) id = this.#waiting.shift();
      return id === undefined ? end() : { type: 'changed', id };
    };
    switch (step.type) {
      case 'first': {
        const reached = changes.mutantCoverage?.perTest[test.id] ?? {};
        this.#hits = reached;
        this.#firstMs = ms;
        this.#waiting = Object.keys(reached).filter((id) => isWanted.has(id));
        note({ reached: this.#waiting.filter((id) => !noticed.has(id)) });
        noteLoaded();
        if (failure !== undefined) return end(`It fails without a change: ${failure}`);
        if (this.#waiting.every((id) => noticed.has(id))) return end();
        if (ms <= work.longestMs) return { type: 'again' };
        note({ slow: name, ms });
        return { type: 'over' };
      }
      case 'again':
        this.#limitMs = Math.max(work.limitMs, 8 * Math.min(ms, this.#firstMs));
        return failure === undefined ? change() : end(`It cannot be repeated: ${failure}`);
      case 'changed':
        if (failure === undefined) return change();
        noticed.add(step.id);
        note({ noticed: step.id, test: name, ms, why: failure });
        return { type: 'clean', tries: 0 };
      case 'clean':
        if (failure === undefined) return change();
        if (step.tries < 3) return { type: 'clean', tries: step.tries + 1 };
        return end(`It fails after a change: ${failure}`);
      case 'over':
        return step;
    }
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    delete test.repeats;
    // What the next file loads belongs to no test.
    changes.currentTestId = undefined;
    super.onAfterRunTask(test);
  }
}

/** Also in the programs that a test starts. */
function activate(id: string | undefined): void {
  changes.activeMutant = id;
  if (id === undefined) delete process.env['__STRYKER_ACTIVE_MUTANT__'];
  else process.env['__STRYKER_ACTIVE_MUTANT__'] = id;
}

function nameOf(test: RunnerTestCase): string {
  return `${test.file.name} > ${test.fullTestName}`;
}
