import { isJsonObject } from '../core/base/json.ts';
import type { ContentBlock } from '../core/model/content.ts';
import type { RateLimit } from '../core/model/session.ts';
import type { AgentKnowledge, RateLimitReader, TestedAgent } from '../core/protocol/agent-knowledge.ts';
import { fromSeconds, numberOf } from './limit-values.ts';

/** A list, each with up to two windows, in percent, minutes and seconds. */
function limitsOf(value: unknown): readonly RateLimit[] {
  const snapshots = Array.isArray(value) ? value : [value];
  return snapshots.filter(isJsonObject).flatMap(({ limitId, limitName, ...snapshot }) =>
    (['primary', 'secondary'] as const).flatMap((window) => {
      const part = snapshot[window];
      if (!isJsonObject(part)) return [];
      return [
        {
          limitId: `${typeof limitId === 'string' ? limitId : 'codex'}/${window}`,
          name: typeof limitName === 'string' ? limitName : null,
          windowMinutes: numberOf(part['windowDurationMins']),
          usedPercent: numberOf(part['usedPercent']),
          resetsAt: fromSeconds(part['resetsAt']),
          status: null,
        },
      ];
    }),
  );
}

/** A load has the pictures of a prompt in the text of its message, each as a link with its data. */
function blocksOfText(text: string): readonly ContentBlock[] {
  // Each text is followed by the type and the data of a picture.
  const parts = text.split(/\[@image\]\(data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z\d+/=]+)\)/);
  return parts.flatMap((part, at): readonly ContentBlock[] => {
    if (at % 3 === 0) return part === '' ? [] : [{ type: 'text', text: part }];
    return at % 3 === 1 ? [{ type: 'image', mimeType: part, data: parts[at + 1] ?? '' }] : [];
  });
}

// Seen in: modes of 2.6.0; 2026-11-24
export const codex: AgentKnowledge = {
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
  blocksOfText,
  // The `call_id` of the model.
  toolCallKeys: ['callId'],
};

// Seen in: modes of 0.16.0; 2026-11-24
export const codexZed: AgentKnowledge = {
  names: ['codex-acp'],
  loginCommands: ['codex login'],
  keyVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  permissions: [{ settingId: 'mode', asking: ['read-only'], notAsking: ['auto', 'full-access'] }],
};

export const codexTested: TestedAgent = {
  id: 'codex-acp',
  name: 'Codex',
  package: '@agentclientprotocol/codex-acp',
  version: '2.6.0',
  program: 'codex-acp',
  args: [],
};

export const codexLimits: RateLimitReader = { key: '_codex/rateLimits', read: limitsOf };
