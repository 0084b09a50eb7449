import { isJsonObject, type JsonObject } from '../base/json.ts';

/** What is known about a setting of an agent that decides whether it asks for permission. */
export interface PermissionSetting {
  /** The id of the setting, as `session.changeSetting` takes it. */
  readonly settingId: string;
  /** The values with which the agent does nothing without asking, the usual one first. */
  readonly asking: readonly string[];
  /** The values with which it edits files or runs commands without asking. */
  readonly notAsking: readonly string[];
}

/**
 * A notification with which an agent says that it has sent the whole history of a session that was loaded. It does not
 * name the session.
 */
export interface ReplayEnd {
  readonly method: string;
  /** The `kind` in its parameters. */
  readonly kind: string;
}

/** What is known about an agent that it does not say of itself in the protocol. */
export interface KnownAgent {
  /** The names in `agentInfo`, and the ids in the registry. */
  readonly names: readonly string[];
  /** Ids of login methods, for an agent that does not report its name. */
  readonly methodIds?: readonly string[];
  /** The commands that log in, as the user of the agent's own program types them. */
  readonly loginCommands?: readonly string[];
  /** The environment variables that hold its key. */
  readonly keyVariables?: readonly string[];
  /** A name in the `_meta` of the capabilities, for a server that does not report the name of its agent. */
  readonly serverMeta?: string;
  /** How it ends the history of a session, which may come only with the next prompt. */
  readonly replayEnd?: ReplayEnd;
  /** What its server does wrong over a WebSocket and not over streamable HTTP, as the rest of a sentence. */
  readonly webSocketFault?: string;
  /** The settings that decide whether it asks. An empty list: it never asks. Absent: not known. */
  readonly permissions?: readonly PermissionSetting[];
}

const claudeModes: PermissionSetting = {
  settingId: 'mode',
  // In `plan` it does not act. In `dontAsk` it refuses what was not allowed before.
  asking: ['default', 'plan', 'dontAsk'],
  notAsking: ['auto', 'acceptEdits', 'bypassPermissions'],
};

/**
 * Agents that need advice which they do not give themselves. The suite of real agents compares this table with what
 * the agents do. A comment says where it was seen: versions, and the day.
 */
export const knownAgents: readonly KnownAgent[] = [
  {
    // Seen in: modes and logins of 0.100.0 and 0.101.0; 2026-11-26
    names: ['@agentclientprotocol/claude-agent-acp', 'claude-acp'],
    loginCommands: ['claude auth login'],
    keyVariables: ['ANTHROPIC_API_KEY'],
    permissions: [claudeModes],
  },
  {
    // Seen in: modes and logins of 0.16.2 and 0.23.1; 2026-11-24
    names: ['@zed-industries/claude-code-acp', '@zed-industries/claude-agent-acp'],
    loginCommands: ['claude /login'],
    keyVariables: ['ANTHROPIC_API_KEY'],
    permissions: [claudeModes],
  },
  {
    // Seen in: modes of 2.6.0; 2026-11-24
    names: ['@agentclientprotocol/codex-acp'],
    loginCommands: ['codex login'],
    keyVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    permissions: [
      {
        settingId: 'mode',
        asking: ['read-only'],
        notAsking: ['workspace-write', 'agent', 'agent-full-access'],
      },
    ],
  },
  {
    // Seen in: modes of 0.16.0; 2026-11-24
    names: ['codex-acp'],
    loginCommands: ['codex login'],
    keyVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    permissions: [{ settingId: 'mode', asking: ['read-only'], notAsking: ['auto', 'full-access'] }],
  },
  {
    // Seen in: modes of 0.61.0; 2026-11-24
    names: ['gemini-cli', 'gemini'],
    keyVariables: ['GEMINI_API_KEY'],
    permissions: [{ settingId: 'mode', asking: ['default', 'plan'], notAsking: ['autoEdit', 'yolo'] }],
  },
  {
    // Seen in: modes and the recordings of `qwen serve` of 0.24.4; 2026-11-24
    names: ['qwen-code'],
    serverMeta: 'qwen',
    replayEnd: { method: '_qwen/notify', kind: 'replay_complete' },
    webSocketFault: 'it sends the history of a session only with the next prompt',
    permissions: [
      { settingId: 'mode', asking: ['default', 'plan'], notAsking: ['auto-edit', 'auto', 'yolo'] },
    ],
  },
  {
    // Seen in: modes and options of 1.0.102; 2026-11-24
    names: ['Copilot', 'github-copilot-cli'],
    permissions: [
      { settingId: 'allow_all', asking: ['off'], notAsking: ['on'] },
      {
        settingId: 'mode',
        asking: [
          'https://agentclientprotocol.com/protocol/session-modes#agent',
          'https://agentclientprotocol.com/protocol/session-modes#plan',
        ],
        notAsking: ['https://agentclientprotocol.com/protocol/session-modes#autopilot'],
      },
    ],
  },
  {
    // Seen in: options of 3.0.65; 2026-11-24
    names: ['cline'],
    permissions: [{ settingId: 'auto_approve', asking: ['false'], notAsking: ['true'] }],
  },
  {
    // Seen in: modes and options of 0.215.0; 2026-11-24
    names: ['@factory/cli', 'factory-droid'],
    permissions: [
      {
        settingId: 'autonomy_level',
        asking: ['normal', 'spec'],
        notAsking: ['auto-low', 'auto-medium', 'auto-high'],
      },
      { settingId: 'mode', asking: ['normal', 'spec'], notAsking: ['auto-low', 'auto-medium', 'auto-high'] },
    ],
  },
  {
    // Seen in: modes of 1.30.0; 2026-11-24
    names: ['nanocoder'],
    permissions: [{ settingId: 'mode', asking: ['normal', 'plan'], notAsking: ['auto-accept', 'yolo'] }],
  },
  {
    // Seen in: pi-acp 0.0.34, whose modes are levels of thinking; 2026-11-24
    names: ['pi-acp'],
    permissions: [],
  },
  {
    // Seen in: login methods of 1.0.41; 2026-11-24
    names: ['grok-build', 'grok'],
    methodIds: ['grok.com', 'xai.api_key'],
    keyVariables: ['XAI_API_KEY'],
  },
  {
    // Seen in: login methods of 0.36.0; 2026-11-24
    names: ['auggie'],
    loginCommands: ['auggie login'],
  },
  {
    // Seen in: login methods of 1.1.52; 2026-11-24
    names: ['qoder-cli', 'qoder'],
    loginCommands: ['qodercli login'],
  },
];

/** The row of an agent. `names` are the one in `agentInfo` and the id in the registry, as far as they are known. */
export function knownAgent(
  names: readonly (string | undefined)[],
  methodIds: readonly string[] = [],
): KnownAgent | undefined {
  return (
    knownAgents.find((agent) => names.some((name) => name !== undefined && agent.names.includes(name))) ??
    knownAgents.find((agent) => agent.methodIds?.some((methodId) => methodIds.includes(methodId)))
  );
}

/** How the agent that answered `initialize` so ends the history of a session. `undefined`: it does not say it. */
export function replayEndOf(initializeResult: JsonObject, name: string | undefined): ReplayEnd | undefined {
  return (knownAgent([name]) ?? knownServer(initializeResult))?.replayEnd;
}

/** What the server that answered `initialize` so does wrong over a WebSocket. `undefined`: nothing is known. */
export function webSocketFault(initializeResult: JsonObject): string | undefined {
  return knownServer(initializeResult)?.webSocketFault;
}

/** The row of a server, which need not report the name of its agent. */
function knownServer(initializeResult: JsonObject): KnownAgent | undefined {
  const agentCapabilities = initializeResult['agentCapabilities'];
  const meta = isJsonObject(agentCapabilities) ? agentCapabilities['_meta'] : undefined;
  if (!isJsonObject(meta)) return undefined;
  return knownAgents.find(({ serverMeta }) => serverMeta !== undefined && isJsonObject(meta[serverMeta]));
}
