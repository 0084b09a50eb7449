/** Gemini CLI. */
export const gemini = {
  name: 'gemini',
  package: '@google/gemini-cli@0.61.0',
  known: { id: 'gemini', name: 'Gemini CLI', program: 'gemini', args: ['--acp'] },
  sizeMiB: 100,
  protocolVersions: [1],
  // It takes any error of a read as a failure, also where it checks whether a file exists.
  fileSystem: { missingFile: 'empty' },
  // It names histories by the minute. A load in the minute in which the session began empties the history.
  reloadAfterMs: 65_000,
  // It answers a load after the first message of the replay.
  promptAfterReloadMs: 500,

  launch({ installed, home, modelUrl, node, apiKey }) {
    home.writeJson('.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      tools: { useRipgrep: false },
    });
    return {
      command: node(20),
      args: [installed('@google/gemini-cli/bundle/gemini.js'), '--acp', '--model', 'gemini-2.5-pro'],
      env: {
        GEMINI_API_KEY: apiKey,
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_SANDBOX: 'false',
      },
    };
  },
};
