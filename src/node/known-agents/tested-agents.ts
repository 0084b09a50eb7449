/** An agent that the suite of agents runs, and that finishes turns there. */
export interface TestedAgent {
  /** Its id in the registry. */
  readonly id: string;
  /** For the user. */
  readonly name: string;
  /** Its npm package, without a version. */
  readonly package: string;
  /** The version that was tested. */
  readonly version: string;
  /** The program that the package installs. */
  readonly program: string;
  /** The arguments with which it speaks the protocol. */
  readonly args: readonly string[];
}

/** Generated from `test/agents`: `UPDATE_AGENTS=1 npx vitest run test/unit/node/tested-agents.test.ts`. */
export const testedAgents: readonly TestedAgent[] = [
  {
    id: 'codex-acp',
    name: 'Codex',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    program: 'codex-acp',
    args: [],
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    args: ['acp'],
  },
  {
    id: 'claude-acp',
    name: 'Claude Code',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.101.0',
    program: 'claude-agent-acp',
    args: [],
  },
  {
    id: 'github-copilot-cli',
    name: 'GitHub Copilot',
    package: '@github/copilot',
    version: '1.0.102',
    program: 'copilot',
    args: ['--acp'],
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    args: ['--acp'],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'qwen',
    args: ['--acp'],
  },
  {
    id: 'cline',
    name: 'Cline',
    package: 'cline',
    version: '3.0.65',
    program: 'cline',
    args: ['--acp'],
  },
  {
    id: 'pi-acp',
    name: 'pi',
    package: 'pi-acp',
    version: '0.0.34',
    program: 'pi-acp',
    args: [],
  },
  {
    id: 'nanocoder',
    name: 'nanocoder',
    package: '@nanocollective/nanocoder',
    version: '1.30.0',
    program: 'nanocoder',
    args: ['--acp'],
  },
  {
    id: 'grok-build',
    name: 'Grok',
    package: '@xai-official/grok',
    version: '1.0.41',
    program: 'grok',
    args: ['agent', 'stdio'],
  },
];
