import type * as v from 'valibot';
import { toolKinds } from '../../core/client/requests/tool-kinds.ts';
import * as unstable from '../../core/protocol/unstable.ts';
import { LlmProtocol } from '../../core/protocol/unstable-providers.ts';
import * as plan1 from '../../core/protocol/v1/agent-plan.ts';
import * as content1 from '../../core/protocol/v1/content.ts';
import * as turn1 from '../../core/protocol/v1/prompt-turn.ts';
import * as config1 from '../../core/protocol/v1/session-config-options.ts';
import * as setup1 from '../../core/protocol/v1/session-setup.ts';
import * as tools1 from '../../core/protocol/v1/tool-calls.ts';
import * as plan2 from '../../core/protocol/v2/agent-plan.ts';
import * as content2 from '../../core/protocol/v2/content.ts';
import * as elicitation2 from '../../core/protocol/v2/elicitation.ts';
import * as turn2 from '../../core/protocol/v2/prompt-lifecycle.ts';
import * as config2 from '../../core/protocol/v2/session-config-options.ts';
import * as setup2 from '../../core/protocol/v2/session-setup.ts';
import * as tools2 from '../../core/protocol/v2/tool-calls.ts';

/**
 * What the protocol names where a client reads any name, so that nothing of a newer agent is lost. A script is to use
 * the names that exist.
 */

/** The names that the type of an open set lists. `string` itself is not one of them. */
type NameOf<S extends v.GenericSchema> =
  v.InferOutput<S> extends infer T ? (T extends string ? (string extends T ? never : T) : never) : never;

/** Compiles only with all names of the set, and no others. */
function named<S extends v.GenericSchema>(
  schema: S,
  names: Readonly<Record<NameOf<S>, true>>,
): readonly [v.GenericSchema, readonly string[]] {
  return [schema, Object.keys(names)];
}

const roles = { assistant: true, user: true } as const;
const permissionKinds = {
  allow_once: true,
  allow_always: true,
  reject_once: true,
  reject_always: true,
} as const;
const stopReasons = {
  end_turn: true,
  max_tokens: true,
  max_turn_requests: true,
  refusal: true,
  cancelled: true,
} as const;
const priorities = { high: true, medium: true, low: true } as const;
const progress = { pending: true, in_progress: true, completed: true } as const;
const severities = { info: true, warning: true, error: true } as const;
const compactionStatuses = { in_progress: true, completed: true, failed: true, cancelled: true } as const;
const systemPromptModes = { append: true, override: true } as const;
const categories = {
  mode: true,
  model: true,
  model_config: true,
  thought_level: true,
  speed: true,
} as const;

type Names = ReadonlyMap<v.GenericSchema, readonly string[]>;

/** Sets of names that an agent cannot extend. The schema of version 1 has these names only. */
export const closedNames: Names = new Map([
  named(content1.Role, roles),
  named(tools1.ToolKind, toolKinds),
  named(tools1.ToolCallStatus, { ...progress, failed: true }),
  named(tools1.PermissionOptionKind, permissionKinds),
  named(turn1.StopReason, stopReasons),
  named(plan1.PlanEntryPriority, priorities),
  named(plan1.PlanEntryStatus, progress),
]);

/** Sets of names that an agent can extend with names that begin with `_`. Other names are reserved for the protocol. */
export const extensibleNames: Names = new Map([
  named(setup1.SystemPromptMode, systemPromptModes),
  named(setup2.SystemPromptMode, systemPromptModes),
  named(unstable.SessionArchiveFilter, { exclude: true, include: true, only: true }),
  named(unstable.SessionStatus, { open: true, saved: true }),
  named(unstable.AuthState, {
    authenticated: true,
    unauthenticated: true,
    not_required: true,
    unknown: true,
  }),
  named(LlmProtocol, { anthropic: true, openai: true, azure: true, vertex: true, bedrock: true }),
  named(turn1.NoticeSeverity, severities),
  named(turn1.CompactionStatus, compactionStatuses),
  named(config1.SessionConfigOptionCategory, categories),
  named(content2.Role, roles),
  named(content2.IconTheme, { light: true, dark: true }),
  named(tools2.ToolKind, toolKinds),
  named(tools2.ToolCallStatus, { ...progress, paused: true, failed: true, cancelled: true }),
  named(tools2.DiffFileType, { text: true, binary: true, directory: true, symlink: true }),
  named(tools2.DiffPatchFormat, { git_patch: true }),
  named(tools2.PermissionOptionKind, permissionKinds),
  named(elicitation2.StringFormat, { email: true, uri: true, date: true, 'date-time': true }),
  named(turn2.StopReason, { ...stopReasons, error: true }),
  named(turn2.NoticeSeverity, severities),
  named(turn2.CompactionStatus, compactionStatuses),
  named(config2.SessionConfigOptionCategory, categories),
  named(plan2.PlanEntryPriority, priorities),
  named(plan2.PlanEntryStatus, { ...progress, cancelled: true }),
]);

/** Unions that an agent cannot extend, in the schema of version 1. */
export const closedUnions: ReadonlySet<v.GenericSchema> = new Set([
  content1.ContentBlock,
  tools1.ToolCallContent,
  plan1.PlanUpdateContent,
]);
