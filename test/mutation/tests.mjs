/** The tests that must notice a change in each part of the sources. The first entry that matches counts. */
export const testsOf = [
  {
    sources: 'src/core/client/session/',
    tests: [
      'test/laws/session.test.ts',
      'test/unit/client/*.test.ts',
      'test/unit/transport/http/lost-sessions.test.ts',
    ],
  },
  { sources: 'src/core/client/', tests: ['test/unit/client/*.test.ts', 'test/conformance/**/*.test.ts'] },
  { sources: 'src/core/rpc/', tests: ['test/unit/rpc/*.test.ts', 'test/unit/client/*.test.ts'] },
  {
    sources: 'src/core/transport/http/',
    tests: [
      'test/unit/transport/http/*.test.ts',
      'test/laws/streamable-http.test.ts',
      'test/conformance/transports.test.ts',
    ],
  },
  {
    sources: 'src/core/transport/',
    tests: ['test/unit/transport/**/*.test.ts', 'test/unit/rpc/*.test.ts', 'test/unit/client/*.test.ts'],
  },
  {
    sources: 'src/agents/registry/',
    tests: [
      'test/unit/node/registry/*.test.ts',
      'test/process/node/registry*.test.ts',
      'test/process/node/hostile-registries.test.ts',
    ],
  },
  {
    sources: 'src/agents/probe/',
    tests: ['test/unit/node/probe/*.test.ts', 'test/process/node/probe*.test.ts'],
  },
  { sources: 'src/agents/', tests: ['test/unit/node/**/*.test.ts', 'test/process/node/*.test.ts'] },
  {
    sources: 'src/node/login-shell/',
    tests: [
      'test/unit/node/environment.test.ts',
      'test/process/node/login-shell.test.ts',
      'test/process/node/environment.test.ts',
      'test/process/node/hostile-shells.test.ts',
    ],
  },
  ...['environment', 'files', 'process', 'terminals'].map((room) => ({
    sources: `src/node/${room}/`,
    tests: ['test/unit/node/**/*.test.ts', 'test/process/node/*.test.ts'],
  })),
  // A browser draws it: `npm run suite -- browser` tests it.
  { sources: 'src/ui/panel-element/', tests: ['test/unit/panel/*.test.ts'] },
  {
    sources: 'src/ui/panel/',
    tests: [
      'test/laws/panel.test.ts',
      'test/unit/panel/*.test.ts',
      'test/unit/vscode/**/*.test.ts',
      'test/bridges/chat.test.ts',
    ],
  },
  { sources: 'src/ui/vscode/', tests: ['test/unit/vscode/**/*.test.ts', 'test/process/vscode/*.test.ts'] },
  ...['ag-ui', 'ai-sdk', 'bridges'].map((room) => ({
    sources: `src/ui/${room}/`,
    tests: ['test/bridges/*.test.ts'],
  })),
  { sources: 'src/ui/questions/', tests: ['test/unit/panel/questions.test.ts', 'test/bridges/*.test.ts'] },
  ...['mirror', 'saved'].map((room) => ({
    sources: `src/records/${room}/`,
    tests: [`test/unit/${room}/*.test.ts`, 'test/laws/*.test.ts'],
  })),
  {
    sources: 'src/records/transcripts/',
    tests: ['test/unit/transcripts/*.test.ts', 'test/laws/transcripts.test.ts'],
  },
  {
    sources: 'src/tools/',
    tests: ['test/unit/tools/**/*.test.ts', 'test/laws/tools.test.ts', 'test/process/tools/*.test.ts'],
  },
  {
    sources: 'src/node/loopback/',
    tests: ['test/unit/loopback/*.test.ts'],
  },
  {
    sources: 'src/programs/inspector/timeline/',
    tests: [
      'test/unit/programs/inspector/timeline/*.test.ts',
      'test/unit/programs/inspector/page/*.test.ts',
      'test/unit/programs/inspector/save/*.test.ts',
    ],
  },
  { sources: 'src/programs/inspector/server/', tests: ['test/unit/programs/inspector/server/*.test.ts'] },
  { sources: 'src/programs/inspector/', tests: ['test/unit/programs/inspector/**/*.test.ts'] },
  {
    sources: 'src/core/conversation/',
    tests: [
      'test/unit/conversation/**/*.test.ts',
      'test/unit/saved/*.test.ts',
      'test/laws/*.test.ts',
      'test/unit/client/*.test.ts',
    ],
  },
  { sources: 'src/ui/markdown/', tests: ['test/unit/markdown/*.test.ts'] },
  { sources: 'src/core/render/', tests: ['test/unit/render/**/*.test.ts', 'test/laws/*.test.ts'] },
  {
    sources: 'src/core/protocol/',
    tests: ['test/unit/protocol/**/*.test.ts', 'test/conformance/**/*.test.ts'],
  },
  { sources: 'src/core/trace/', tests: ['test/unit/trace/*.test.ts', 'test/unit/recording/*.test.ts'] },
  { sources: 'src/records/testing/', tests: ['test/unit/testing/*.test.ts', 'test/process/demo/*.test.ts'] },
  { sources: 'src/programs/demo/', tests: ['test/process/demo/*.test.ts'] },
  { sources: 'src/programs/cli/', tests: ['test/unit/programs/cli/*.test.ts', 'test/process/cli/*.test.ts'] },
  {
    sources: 'src/records/recording/',
    tests: ['test/unit/recording/*.test.ts', 'test/unit/trace/*.test.ts'],
  },
  // All rooms share them.
  { sources: 'src/core/base/', tests: ['test/unit/**/*.test.ts', 'test/laws/*.test.ts'] },
  { sources: 'src/core/model/', tests: ['test/unit/**/*.test.ts', 'test/laws/*.test.ts'] },
];

/** Tests that take long, and notice nothing in these sources that others do not. */
export const slowTests = [
  '**/*.long.test.ts',
  '**/*.full.test.ts',
  '**/unit/tools/attacks/secrets.test.ts',
  '**/open-terminals.test.ts',
  '**/worst-case*.test.ts',
];
