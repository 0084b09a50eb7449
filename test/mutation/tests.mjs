/** The tests that must notice a change in each part of the sources. The first entry that matches counts. */
export const testsOf = [
  {
    sources: 'src/client/session/',
    tests: [
      'test/laws/session.test.ts',
      'test/unit/client/*.test.ts',
      'test/unit/transport/http/lost-sessions.test.ts',
    ],
  },
  { sources: 'src/client/', tests: ['test/unit/client/*.test.ts', 'test/conformance/**/*.test.ts'] },
  { sources: 'src/rpc/', tests: ['test/unit/rpc/*.test.ts', 'test/unit/client/*.test.ts'] },
  {
    sources: 'src/transport/',
    tests: ['test/unit/transport/*.test.ts', 'test/unit/rpc/*.test.ts', 'test/unit/client/*.test.ts'],
  },
  { sources: 'src/node/', tests: ['test/unit/node/**/*.test.ts', 'test/process/node/*.test.ts'] },
];

/** Tests that take long, and notice nothing in these sources that others do not. */
export const slowTests = ['**/secrets.test.ts', '**/open-terminals.test.ts', '**/worst-case*.test.ts'];
