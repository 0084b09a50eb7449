import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import type { RateLimit } from '../core/model/session.ts';
import type { AgentKnowledge, RateLimitReader, TestedAgent } from '../core/protocol/agent-knowledge.ts';
import { fromSeconds, minutesPerDay, numberOf } from './limit-values.ts';

const statuses: Readonly<Record<string, RateLimit['status']>> = {
  allowed: 'allowed',
  allowed_warning: 'warning',
  rejected: 'reached',
};

const windowLengths: readonly (readonly [prefix: string, minutes: number])[] = [
  ['five_hour', 5 * 60],
  ['seven_day', 7 * minutesPerDay],
];

/** Shares of 1, and seconds. Newer versions report several windows at once. */
function limitsOf(value: unknown): readonly RateLimit[] {
  if (!isJsonObject(value)) return [];
  const { status, rateLimitType, unifiedWindows } = value;
  const windows = isJsonObject(unifiedWindows) ? unifiedWindows : {};
  const named = typeof rateLimitType === 'string' ? rateLimitType : null;
  const said = typeof status === 'string' && Object.hasOwn(statuses, status) ? statuses[status] : null;
  const limits = Object.entries(windows).flatMap(([limitId, window]) =>
    isJsonObject(window) ? [limitOf(limitId, window, limitId === named ? said : null)] : [],
  );
  // The status is that of one limit, which need not be among the windows.
  const isListed = limits.some(({ limitId }) => limitId === named);
  return named === null || isListed ? limits : [limitOf(named, value, said), ...limits];
}

function limitOf(
  limitId: string,
  { utilization, resetsAt }: JsonObject,
  status: RateLimit['status'] | undefined,
): RateLimit {
  const [, windowMinutes = null] = windowLengths.find(([prefix]) => limitId.startsWith(prefix)) ?? [];
  const used = numberOf(utilization);
  return {
    limitId,
    name: null,
    windowMinutes,
    usedPercent: used === null ? null : used * 100,
    resetsAt: fromSeconds(resetsAt),
    status: status ?? null,
  };
}

// Seen in: modes and logins of 0.100.0 and 0.101.0; 2026-11-26
export const claude: AgentKnowledge = {
  names: ['@agentclientprotocol/claude-agent-acp', 'claude-acp'],
  loginCommands: ['claude auth login'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  permissions: [
    {
      settingId: 'mode',
      // In `plan` it does not act. In `dontAsk` it refuses what was not allowed before.
      asking: ['default', 'plan', 'dontAsk'],
      notAsking: ['auto', 'acceptEdits', 'bypassPermissions'],
    },
  ],
  // The id of the `tool_use` block.
  toolCallKeys: ['claudecode/toolUseId'],
};

const builtOnTheOther = ['@zed-industries/claude-agent-acp', '@sudocode-ai/claude-code-acp'];

// Seen in: modes and logins of 0.16.2, 0.23.1 and, of sudocode, 0.13.10; 2026-11-29
export const claudeZed: AgentKnowledge = {
  ...claude,
  names: ['@zed-industries/claude-code-acp', ...builtOnTheOther],
  loginCommands: ['claude /login'],
};

export const claudeTested: TestedAgent = {
  id: 'claude-acp',
  name: 'Claude Code',
  package: '@agentclientprotocol/claude-agent-acp',
  version: '0.101.0',
  program: 'claude-agent-acp',
  args: [],
};

export const claudeLimits: RateLimitReader = { key: '_claude/rateLimit', read: limitsOf };
