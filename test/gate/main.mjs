// Runs the tests of projects of vitest.config.ts: node test/gate/main.mjs PROJECT… [--config FILE] [--flaky FILE]
// A test that failed after its file had started a program runs once more, alone. If it passes then, it is flaky: the run
// goes on, and the test is added to test/gate/flaky.json. A test in memory never runs twice: its failure is a fault.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest } from 'vitest/node';
import { addFlaky, flakyFile, report } from './flaky.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { config: { type: 'string' }, flaky: { type: 'string', default: flakyFile } },
});
const config = values.config === undefined ? {} : { config: resolve(values.config) };
const vitest = await createVitest('test', { ...config, run: true, watch: false, project: positionals });
/** The state of each test after its last run. A run of one test skips the others of its file. */
const states = new Map();
const count = (state) => [...states.values()].filter((one) => one === state).length;

/** Waits for a run. Returns what failed, and whether something else went wrong. */
async function finish(run) {
  const { testModules, unhandledErrors } = await run;
  for (const { children } of testModules)
    for (const test of children.allTests()) {
      const { state } = test.result();
      if (state !== 'skipped' || !states.has(test.id)) states.set(test.id, state);
    }
  return { failures: testModules.flatMap(failuresOf), hasErrors: unhandledErrors.length > 0 };
}

const { failures, hasErrors } = await finish(vitest.start());
const flaky = [];
// One after the other, with nothing beside it.
for (const failure of failures.filter(({ startsPrograms }) => startsPrograms)) {
  console.log(`\nOnce more, alone: ${failure.name}`);
  const again = await finish(vitest.runTestSpecifications([failure.specification]));
  // A run returns all files that vitest knows, also those that fail and are not in it.
  const { moduleId } = failure.specification;
  const isRed = again.failures.some(({ specification }) => specification.moduleId === moduleId);
  if (!isRed && !again.hasErrors) flaky.push(failure);
}
addFlaky(values.flaky, flaky);
const failed = failures.length - flaky.length;
console.log(report(values.flaky));
console.log(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`);
process.exitCode = failed > 0 || hasErrors || count('passed') === 0 ? 1 : 0;
await vitest.exit();

/**
 * What failed in a test file, with what runs it again: each failed test, or the whole file if a hook or the file itself
 * failed. A file that lost its process has run no test.
 */
function failuresOf(testModule) {
  const hookErrors = [testModule, ...testModule.children.allSuites()].flatMap((suite) => suite.errors());
  const path = testModule.relativeModuleId;
  if (hookErrors.length > 0)
    return [
      {
        name: path,
        error: messageOf(hookErrors),
        startsPrograms: testModule.meta().startsPrograms === true,
        specification: testModule.toTestSpecification(),
      },
    ];
  return [...testModule.children.allTests('failed')].map((test) => ({
    name: `${path} > ${test.fullName}`,
    error: messageOf(test.result().errors),
    startsPrograms: test.meta().startsPrograms === true,
    specification: testModule.toTestSpecification([test]),
  }));
}

/** The first line of the first error. */
function messageOf([error]) {
  return (error?.message ?? 'It has no error.').split('\n', 1)[0];
}
