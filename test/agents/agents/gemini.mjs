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

/** Qwen Code, which is made from Gemini CLI. */
export const qwen = {
  name: 'qwen',
  package: '@qwen-code/qwen-code@0.24.4',
  known: { id: 'qwen-code', name: 'Qwen Code', program: 'qwen', args: ['--acp'] },
  sizeMiB: 144,
  nodeMajor: 22,
  protocolVersions: [1],
  // That the model does not get the tools over HTTP is another thing: a busy machine needs longer than the five seconds
  // that the agent waits.
  varies: ['tools', 'tools-stdio'].map((step) => ({
    version: 1,
    step,
    outcomes: ['works', 'differs'],
    noted: 'after a cancelled call',
    reason:
      'each call works; after a cancelled one, the agent can drop the tools of that session, and a new session has them',
  })),

  launch({ installed, home, modelUrl, node, apiKey }) {
    home.writeJson('.qwen/settings.json', {
      security: { auth: { selectedType: 'openai' } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
    });
    return {
      command: node(22),
      args: [installed('@qwen-code/qwen-code/cli.js'), '--acp', '--auth-type', 'openai'],
      env: { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'mock-model' },
    };
  },

  serve({ folder, token, ...options }) {
    const { command, env } = this.launch(options);
    const cli = options.installed('@qwen-code/qwen-code/cli.js');
    return {
      command,
      args: [
        cli,
        'serve',
        '--port',
        '0',
        '--no-web',
        '--workspace',
        folder,
        '--initialize-timeout-ms',
        '60000',
      ],
      env: { ...env, QWEN_SERVER_TOKEN: token },
      path: '/acp',
      // It answers a load before the replay, and says later that the replay has ended.
      replayAfterMs: 6000,
      // Before that, it answers an upgrade with 406.
      isReady: (line) => line.includes('WebSocket transport enabled'),
    };
  },
};
