/**
 * What failed in a test file, with what runs it again: each failed test, or the whole file if a hook or the file itself
 * failed. A file that lost its process has run no test.
 */
export function failuresOf(testModule) {
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
