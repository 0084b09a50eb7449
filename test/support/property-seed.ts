import fc from 'fast-check';

/**
 * Configures fast-check for every property test. The seed is fixed, so that a run tests the same values each time.
 * `FC_SEED=<number>` repeats a failure or tests other values.
 */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 1) });
