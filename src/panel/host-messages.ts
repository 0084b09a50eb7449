import * as v from 'valibot';
import { isJsonObject } from '../base/json.ts';
import { defaultMessageCharacters, type HostMessage, panelVersion } from './messages.ts';
import type { PanelState } from './state.ts';

// A page loads this. `union` and `picklist` serve where `variant` and `literal` would be more code to load.
const text = v.string();
const texts = v.array(text);
const textOrNull = v.nullable(text);
const count = v.custom<number>((value) => Number.isSafeInteger(value) && Number(value) >= 0);

const method = v.object({ methodId: text, name: text, description: textOrNull, type: text });
const choice = v.object({ value: text, title: text });
const field = v.object({
  name: text,
  title: textOrNull,
  description: textOrNull,
  type: text,
  required: v.boolean(),
  default: v.nullable(v.union([text, v.number(), v.boolean(), texts])),
  choices: v.nullable(v.array(choice)),
  minimum: v.nullable(v.number()),
  maximum: v.nullable(v.number()),
  format: textOrNull,
});

/** What a form and a page to open have in common. */
const elicitation = { id: text, sessionId: textOrNull, message: text };
const question = v.union([
  v.object({
    kind: v.picklist(['permission']),
    id: text,
    sessionId: text,
    title: text,
    description: textOrNull,
    toolCallKey: textOrNull,
    options: v.array(v.object({ optionId: text, name: text, kind: text })),
    subagent: textOrNull,
  }),
  v.object({ kind: v.picklist(['form']), ...elicitation, fields: v.array(field) }),
  v.object({ kind: v.picklist(['url']), ...elicitation, url: text, host: text }),
  v.object({ kind: v.picklist(['login']), id: text, methods: v.array(method), reason: text }),
]);

const problem = v.object({
  message: text,
  detail: textOrNull,
  code: text,
  remedy: v.nullable(v.picklist(['restart', 'login', 'openFolder', 'manageTrust'])),
});

const agentChoice = v.object({
  id: text,
  name: text,
  description: textOrNull,
  isInstalled: v.nullable(v.boolean()),
  installedVersion: textOrNull,
  testedVersion: textOrNull,
  installCommand: textOrNull,
  note: textOrNull,
  login: v.picklist(['loggedIn', 'needed', 'unknown']),
  isChosen: v.boolean(),
});

const settingChoice = v.object({ value: text, name: text, description: textOrNull, group: textOrNull });
const setting = v.object({
  settingId: text,
  name: text,
  description: textOrNull,
  category: textOrNull,
  value: v.union([text, v.boolean()]),
  choices: v.nullable(v.array(settingChoice)),
});

const state = v.object({
  phase: v.picklist(['disconnected', 'starting', 'open', 'reconnecting', 'closed']),
  // A host of an earlier version does not send it.
  nextAttemptAt: v.optional(v.nullable(v.number()), null),
  agent: v.nullable(v.object({ name: text, title: textOrNull, version: textOrNull })),
  features: v.custom<PanelState['features']>(isJsonObject),
  authMethods: v.array(method),
  sessions: v.array(
    v.object({
      sessionId: text,
      cwd: text,
      title: v.optional(textOrNull),
      updatedAt: v.optional(textOrNull),
      additionalDirectories: v.optional(texts),
      isSavedOnly: v.optional(v.boolean()),
    }),
  ),
  sessionId: textOrNull,
  cwd: textOrNull,
  // A host of an earlier version does not send it.
  readOnly: v.optional(textOrNull, null),
  loading: v.nullable(v.object({ updates: count })),
  questions: v.array(v.union([text, question])),
  waiting: v.array(v.object({ sessionId: text, count })),
  draft: text,
  problem: v.nullable(problem),
  actions: texts,
  agents: v.array(agentChoice),
  // A host of an earlier version does not send it.
  initial: v.optional(
    v.nullable(
      v.object({
        settings: v.array(setting),
        commands: v.array(v.looseObject({ name: text, description: text })),
      }),
    ),
    null,
  ),
});

// What a patch does is checked where it is applied.
const patch = v.array(v.looseObject({ op: text }));
const sender = {
  panel: v.picklist([panelVersion]),
  run: text,
  page: textOrNull,
  have: count,
  sent: count,
};

const HostMessageSchema = v.union([
  v.object({ ...sender, type: v.picklist(['ask', 'have']) }),
  v.object({
    ...sender,
    type: v.picklist(['change']),
    number: count,
    base: count,
    answers: count,
    // A host of an earlier version does not send it.
    maxCharacters: v.optional(count, defaultMessageCharacters),
    state: v.nullable(state),
    conversation: v.nullable(v.object({ sessionId: text, isWhole: v.boolean(), patch })),
    // The value is of any type.
    results: v.array(v.looseObject({ number: count, error: v.nullable(problem) })),
  }),
]);

/** A message of another version has nothing else that this version knows. */
const Version = v.object({ panel: v.number(), run: text });

/**
 * Reads a message of the host. `version`: it is of another version. `null`: it is not a message of a host. Never
 * throws.
 */
export function readHostMessage(message: unknown): HostMessage | 'version' | null {
  try {
    const data: unknown = typeof message === 'string' ? JSON.parse(message) : message;
    const result = v.safeParse(HostMessageSchema, data);
    // The features and the kinds of operations are open: what the schema leaves out is looked up by name.
    if (result.success) return result.output as HostMessage;
    const version = v.safeParse(Version, data);
    return version.success && version.output.panel !== panelVersion ? 'version' : null;
  } catch {
    return null;
  }
}
