import type * as v from 'valibot';
import type { ValidationIssue } from '../../core/base/errors.ts';
import { isJsonObject } from '../../core/base/json.ts';
import { toolKinds } from '../../core/client/requests/permission-rules.ts';
import * as plan from '../../core/protocol/both/agent-plan.ts';
import * as content from '../../core/protocol/both/content.ts';
import { StringFormat } from '../../core/protocol/both/elicitation.ts';
import { SessionConfigOptionCategory } from '../../core/protocol/both/session-config-options.ts';
import { SystemPromptMode } from '../../core/protocol/both/session-setup.ts';
import { CompactionStatus, NoticeSeverity } from '../../core/protocol/both/session-updates.ts';
import { StopReason } from '../../core/protocol/both/state.ts';
import * as tools from '../../core/protocol/both/tool-calls.ts';
import {
  marksOf,
  partsIn,
  selectVariant,
  shapeOf,
  type VariantTable,
} from '../../core/protocol/schema-shape.ts';
import * as unstable from '../../core/protocol/unstable.ts';
import { LlmProtocol } from '../../core/protocol/unstable.ts';
import { ToolCallContent } from '../../core/protocol/v1/tool-calls.ts';
import * as tools2 from '../../core/protocol/v2/tool-calls.ts';

/** A part of a message, with what its surroundings say about it. */
interface Part {
  readonly value: unknown;
  readonly path: string;
  /** The keys that the union around the part has read. */
  readonly tags: readonly string[];
  readonly names: KnownNames;
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
  version: 1 | 2,
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  visit(schema, { value, path: '', tags, names: knownNames[version], report: (issue) => issues.push(issue) });
  return issues;
}

function visit(schema: v.GenericSchema, part: Part): void {
  const shape = shapeOf(schema);
  const names = part.names.closed.get(schema);
  if (names) checkName(part, names, closed);
  const known = part.names.extensible.get(schema);
  if (known) checkName(part, known, extensible);
  const { strict, rewriting, variants } = marksOf(schema);
  if (strict) return visit(strict, part);
  if (rewriting) {
    // A client translates what the protocol has elsewhere.
    const isRewritten = rewriting.rewrite(part.value) !== part.value;
    if (isRewritten) part.report({ path: part.path || 'it', message: 'has the wrong type' });
    return visit(rewriting.schema, part);
  }
  if (variants) return visitVariant(schema, variants, part);
  if (shape.type === 'loose_object') checkFields(shape.entries, part);
  for (const [inner, value, path] of partsIn(schema, part.value, part.path)) {
    // What a schema only wraps is the same value.
    visit(inner, { ...part, value, path, tags: path === part.path ? part.tags : [] });
  }
}

function visitVariant(schema: v.GenericSchema, table: VariantTable, part: Part): void {
  const { key, variants } = table;
  if (!isJsonObject(part.value)) return;
  const tag = { ...part, value: part.value[key], path: pathTo(part.path, key) };
  checkName(tag, Object.keys(variants), part.names.closedUnions.has(schema) ? closed : extensible);
  // The fields of an extension are the agent's own.
  const isKnown = typeof tag.value === 'string' && Object.hasOwn(variants, tag.value);
  if (isKnown) visit(selectVariant(table, part.value), { ...part, tags: [...part.tags, key] });
}

/** Reports the fields of an object that the protocol does not have. */
function checkFields(fields: v.ObjectEntries, { value, path, tags, report }: Part): void {
  const keys = [...tags, ...Object.keys(fields)];
  for (const key of isJsonObject(value) ? Object.keys(value) : []) {
    if (keys.includes(key) || isExtension(key)) continue;
    const message = `is not a field of the protocol: use one of ${keys.join(', ')}`;
    report({ path: pathTo(path, key), message });
  }
}

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

type Names = readonly (readonly [v.GenericSchema, readonly string[]])[];

/** The names of a set. Version 1 has fewer of some. */
function named<S extends v.GenericSchema>(schema: S, ...names: readonly NameOf<S>[]): Names[number] {
  return [schema, names];
}

/** Sets that version 1 closes, and that are equal in both versions. */
const equal: Names = [
  named(content.Role, 'assistant', 'user'),
  [tools.ToolKind, Object.keys(toolKinds)],
  named(tools.PermissionOptionKind, 'allow_once', 'allow_always', 'reject_once', 'reject_always'),
  named(plan.PlanEntryPriority, 'high', 'medium', 'low'),
  named(StringFormat, 'email', 'uri', 'date', 'date-time'),
];

/** Sets that both versions leave open. */
const open: Names = [
  named(SystemPromptMode, 'append', 'override'),
  named(unstable.SessionArchiveFilter, 'exclude', 'include', 'only'),
  named(unstable.SessionStatus, 'open', 'saved'),
  named(unstable.AuthState, 'authenticated', 'unauthenticated', 'not_required', 'unknown'),
  named(LlmProtocol, 'anthropic', 'openai', 'azure', 'vertex', 'bedrock'),
  named(NoticeSeverity, 'info', 'warning', 'error'),
  named(CompactionStatus, 'in_progress', 'completed', 'failed', 'cancelled'),
  named(SessionConfigOptionCategory, 'mode', 'model', 'model_config', 'thought_level', 'speed'),
  named(content.IconTheme, 'light', 'dark'),
];

/** What a version names, and whether an agent can extend it. */
export interface KnownNames {
  /** Sets of names that an agent cannot extend. */
  readonly closed: ReadonlyMap<v.GenericSchema, readonly string[]>;
  /** Sets that an agent can extend with names that begin with `_`. Other names are reserved for the protocol. */
  readonly extensible: ReadonlyMap<v.GenericSchema, readonly string[]>;
  /** Unions that an agent cannot extend. */
  readonly closedUnions: ReadonlySet<v.GenericSchema>;
}

/** By the version of the protocol. Only the schema of version 1 closes sets and unions. */
export const knownNames: Readonly<Record<1 | 2, KnownNames>> = {
  1: {
    closed: new Map([
      ...equal,
      named(tools.ToolCallStatus, 'pending', 'in_progress', 'completed', 'failed'),
      named(StopReason, 'end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'),
      named(plan.PlanEntryStatus, 'pending', 'in_progress', 'completed'),
    ]),
    extensible: new Map(open),
    closedUnions: new Set<v.GenericSchema>([content.ContentBlock, ToolCallContent, plan.PlanUpdateContent]),
  },
  2: {
    closed: new Map(),
    extensible: new Map([
      ...equal,
      ...open,
      named(tools.ToolCallStatus, 'pending', 'in_progress', 'paused', 'completed', 'failed', 'cancelled'),
      named(StopReason, 'end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'error'),
      named(plan.PlanEntryStatus, 'pending', 'in_progress', 'completed', 'cancelled'),
      named(tools2.DiffFileType, 'text', 'binary', 'directory', 'symlink'),
      named(tools2.DiffPatchFormat, 'git_patch'),
    ]),
    closedUnions: new Set(),
  },
};
