import fc from 'fast-check';
import { runs } from './runs.ts';

/**
 * Configures fast-check for every property test that does not say how many cases it runs. The seed is fixed, so that a run
 * tests the same values each time. `FC_SEED=<number>` repeats a failure or tests other values.
 */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 1), numRuns: runs(100) });
