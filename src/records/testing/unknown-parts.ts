import type * as v from 'valibot';
import type { ValidationIssue } from '../../core/base/errors.ts';
import { isJsonObject } from '../../core/base/json.ts';
import { toolKinds } from '../../core/client/requests/tool-kinds.ts';
import {
  type KnownSchema,
  listItem,
  rewriting,
  type SchemaOfType,
  selectVariant,
  shapeOf,
  strictSchema,
  type VariantTable,
  variantTable,
} from '../../core/protocol/schema-shape.ts';
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

/** A part of a message, with what its surroundings say about it. */
interface Part {
  readonly value: unknown;
  readonly path: string;
  /** The keys that the union around the part has read. */
  readonly tags: readonly string[];
  readonly report: (issue: ValidationIssue) => void;
}

/**
 * Lists the fields, names and variants in a valid value that the protocol does not have. A client keeps them or ignores
 * them, because a newer agent may send them. Names of extensions begin with `_`.
 *
 * @param tags - The keys that have selected the schema.
 */
export function unknownParts(
  schema: v.GenericSchema,
  value: unknown,
  tags: readonly string[],
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  visit(schema, { value, path: '', tags, report: (issue) => issues.push(issue) });
  return issues;
}

function visit(schema: v.GenericSchema, part: Part): void {
  const shape = shapeOf(schema);
  const names = closedNames.get(schema);
  if (names) checkName(part, names, closed);
  const known = extensibleNames.get(schema);
  if (known) checkName(part, known, extensible);
  if (shape[strictSchema]) return visit(shape[strictSchema], part);
  if (shape[listItem]) return visitItems(shape[listItem], part);
  if (shape[rewriting]) return visit(shape[rewriting].schema, part);
  if (shape[variantTable]) return visitVariant(schema, shape[variantTable], part);
  // The table has the function for this very type of schema.
  visitors[shape.type]?.(shape as never, part);
}

function visitVariant(schema: v.GenericSchema, table: VariantTable, part: Part): void {
  const { key, variants } = table;
  if (!isJsonObject(part.value)) return;
  const tag = { ...part, value: part.value[key], path: pathTo(part.path, key) };
  checkName(tag, Object.keys(variants), closedUnions.has(schema) ? closed : extensible);
  // The fields of an extension are the agent's own.
  const isKnown = typeof tag.value === 'string' && Object.hasOwn(variants, tag.value);
  if (isKnown) visit(selectVariant(table, part.value), { ...part, tags: [...part.tags, key] });
}

function visitItems(item: v.GenericSchema, part: Part): void {
  if (!Array.isArray(part.value)) return;
  for (const [place, value] of part.value.entries()) {
    visit(item, { ...part, value, path: pathTo(part.path, String(place)), tags: [] });
  }
}

type Visitor<S> = (schema: S, part: Part) => void;

const visitWrapped: Visitor<{ readonly wrapped: v.GenericSchema }> = ({ wrapped }, part) => {
  if (part.value !== null) visit(wrapped, part);
};

/** How to reach the parts of a value, by the type of its schema. Values of other types have no parts with names. */
const visitors: { readonly [T in KnownSchema['type']]?: Visitor<SchemaOfType<T>> } = {
  nullable: visitWrapped,
  exact_optional: visitWrapped,
  lazy: ({ getter }, part) => visit(getter(part.value), part),
  array: ({ item }, part) => visitItems(item, part),
  record: ({ value: schema }, part) => {
    for (const [key, value] of membersOf(part)) {
      visit(schema, { ...part, value, path: pathTo(part.path, key), tags: [] });
    }
  },
  loose_object: ({ entries }, part) => {
    // valibot also declares schemas that resolve later, which the vocabulary does not have.
    const fields = entries as Readonly<Record<string, v.GenericSchema>>;
    const keys = [...part.tags, ...Object.keys(fields)];
    for (const [key, value] of membersOf(part)) {
      const path = pathTo(part.path, key);
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field) visit(field, { ...part, value, path, tags: [] });
      else if (!part.tags.includes(key) && !isExtension(key)) {
        part.report({ path, message: `is not a field of the protocol: use one of ${keys.join(', ')}` });
      }
    }
  },
};

const membersOf = ({ value }: Part) => (isJsonObject(value) ? Object.entries(value) : []);

const isExtension = (name: string) => name.startsWith('_');

/** Which names a set allows beside its own, and how a message lists the names. */
interface Extension {
  readonly allows: (name: string) => boolean;
  readonly listed: (names: readonly string[]) => string;
}

/** The names of a set that an agent can extend, for a message. */
export function orExtension(names: readonly string[]): string {
  return `${names.join(', ')}, or a name that begins with "_"`;
}

const closed: Extension = { allows: () => false, listed: (names) => names.join(', ') };
const extensible: Extension = { allows: isExtension, listed: orExtension };

function checkName({ value, path, report }: Part, names: readonly string[], extension: Extension): void {
  if (typeof value !== 'string' || names.includes(value) || extension.allows(value)) return;
  report({ path, message: `must be one of ${extension.listed(names)}; got ${JSON.stringify(value)}` });
}

function pathTo(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

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
