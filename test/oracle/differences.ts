import type { Defs, Schema, SchemaObject } from '../support/official-schema.ts';

/**
 * Where we read otherwise than the official schema says, on purpose. Each difference is applied to the official
 * definitions, so that everything else must agree to the letter; its witness shows that it is still one.
 */
export interface Difference {
  readonly def: string;
  readonly reason: string;
  /** The definition as we read it. */
  patch(schema: SchemaObject, defs: Defs): SchemaObject;
  /** Something that the two read differently. */
  readonly witness: unknown;
}

const nothingLost = 'What version 1 closes is read openly, so that what a newer agent sends is not lost.';

const anyString = (def: string): Difference => ({
  def,
  reason: nothingLost,
  patch: () => ({ type: 'string' }),
  witness: 'from_the_future',
});

/** The union with one more branch, for the tags that it does not know. */
function opened(union: SchemaObject, key: string, rest: SchemaObject = {}): SchemaObject {
  const { oneOf, anyOf, ...others } = union;
  const branches = (oneOf ?? anyOf ?? []) as readonly SchemaObject[];
  const tags = branches.map((branch) => tagOf(branch, key)).filter((tag) => tag !== undefined);
  const other: SchemaObject = {
    type: 'object',
    ...rest,
    properties: { ...rest.properties, [key]: { type: 'string' } },
    required: [...(rest.required ?? []), key],
    not: { type: 'object', properties: { [key]: { enum: tags } }, required: [key] },
  };
  return { ...others, anyOf: [...branches.filter((branch) => tagOf(branch, key) !== undefined), other] };
}

function tagOf(branch: SchemaObject, key: string): unknown {
  const property = branch.properties?.[key];
  return typeof property === 'object' ? property.const : undefined;
}

/** A state with an error: one branch of the official union has it. */
const idleState: Difference = {
  def: 'IdleStateUpdate',
  reason:
    'A malformed stop reason counts as none, as its annotation says, though no branch of the union allows for it; and an error is read beside any reason.',
  patch: ({ anyOf: _, ...schema }) => ({
    ...schema,
    properties: {
      ...schema.properties,
      error: forgiven({ anyOf: [{ $ref: '#/$defs/Error' }, { type: 'null' }] }),
    },
  }),
  witness: { stopReason: 5 },
};

/** The union with a branch for a reference to a session. */
function withSessionReference(union: SchemaObject): SchemaObject {
  const name = union.oneOf ? 'oneOf' : 'anyOf';
  const [first, ...rest] = (union[name] ?? []) as readonly SchemaObject[];
  const reference: SchemaObject = {
    type: 'object',
    properties: { type: { const: 'session' }, sessionId: { type: 'string' } },
    required: ['type', 'sessionId'],
  };
  return { ...union, [name]: [first as SchemaObject, reference, ...rest] };
}

/** Without the plan that was in a file, whose type is unknown by now. */
function withoutPlanFile(union: SchemaObject): SchemaObject {
  const name = union.oneOf ? 'oneOf' : 'anyOf';
  const branches = (union[name] ?? []) as readonly SchemaObject[];
  return { ...union, [name]: branches.filter((branch) => tagOf(branch, 'type') !== 'file') };
}

/** The plans that the union has, and those with an unknown type. */
const openPlans = (union: SchemaObject, defs: Defs) =>
  opened(withoutPlanFile(union), 'type', {
    properties: { planId: { type: 'string' }, _meta: defs['PlanItems']?.properties?.['_meta'] ?? {} },
    required: ['planId'],
  });

const newPlans =
  'A plan has no type `file` any more, and a document can be in a file, since the release of these schemas.';

const bothVersions: readonly Difference[] = [
  {
    def: 'PlanMarkdown',
    reason: newPlans,
    patch: ({ properties, ...schema }) => ({
      ...schema,
      properties: {
        ...properties,
        path: {
          ...forgiven({
            anyOf: [{ type: 'string', pattern: '^(?:/|[A-Za-z]:[\\\\/]|\\\\\\\\[^\\\\])' }, { type: 'null' }],
          }),
        },
      },
    }),
    witness: { planId: 'p', content: '# Plan', path: 'PLAN.md' },
  },
  {
    def: 'CreateElicitationRequest',
    reason: 'A mode that we do not know is refused in any case, whatever it is scoped to.',
    patch: (union) => opened(union, 'mode'),
    witness: { mode: 'telepathy', message: 'Think.' },
  },
  {
    def: 'MultiSelectItems',
    reason: 'Items with a type are recognized by it alone.',
    patch: ({ anyOf = [], ...rest }) => ({
      ...rest,
      anyOf: anyOf.map((branch) =>
        (branch as SchemaObject & { title?: string }).title === 'titled'
          ? { allOf: [branch], not: { properties: { type: { type: 'string' } }, required: ['type'] } }
          : branch,
      ),
    }),
    witness: { type: 'string', anyOf: [{ const: 'a', title: 'A' }] },
  },
];

const forgiven = (schema: Schema): SchemaObject => ({
  ...(schema as SchemaObject),
  'x-deserialize-default-on-error': true,
});

const optionalText = forgiven({ type: ['string', 'null'] });
const text = forgiven({ type: 'string' });

/** The definition with other properties. */
const withProperties = (
  schema: SchemaObject,
  properties: Readonly<Record<string, Schema>>,
): SchemaObject => ({
  ...schema,
  properties: { ...schema.properties, ...properties },
});

/** The union with other properties in its branch for unknown tags. */
const withOther = (
  union: SchemaObject,
  key: string,
  properties: Readonly<Record<string, Schema>>,
): SchemaObject => ({
  ...union,
  anyOf: ((union.anyOf ?? []) as readonly SchemaObject[]).map((branch) =>
    tagOf(branch, key) === undefined ? withProperties(branch, properties) : branch,
  ),
});

const asTheOther = 'One schema reads both versions, and accepts what either of them does.';

const openDirectories: Difference = {
  def: 'SessionInfo',
  reason: asTheOther,
  patch: (schema) =>
    withProperties(schema, {
      additionalDirectories: {
        ...forgiven({ type: ['array', 'null'], items: { type: 'string' } }),
        'x-deserialize-skip-invalid-items': true,
      },
    }),
  witness: { sessionId: 's', cwd: '/', additionalDirectories: null },
};

const v1Differences: readonly Difference[] = [
  openDirectories,
  {
    def: 'Annotations',
    reason: 'Version 2 limits a priority to 0 to 1, and one schema reads both.',
    patch: (schema) =>
      withProperties(schema, { priority: forgiven({ type: ['number', 'null'], minimum: 0, maximum: 1 }) }),
    witness: { priority: 2 },
  },
  {
    def: 'ResourceLink',
    reason: 'In version 2 a size is not negative, and one schema reads both.',
    patch: (schema) => withProperties(schema, { size: forgiven({ type: ['integer', 'null'], minimum: 0 }) }),
    witness: { name: 'a', uri: 'a:', size: -1 },
  },
  {
    def: 'SessionUpdate',
    reason: nothingLost,
    patch: (union) => opened(union, 'sessionUpdate'),
    witness: { sessionUpdate: 'from_the_future' },
  },
  idleState,
  ...bothVersions,
  ...[
    'Role',
    'ToolKind',
    'ToolCallStatus',
    'StopReason',
    'PermissionOptionKind',
    'PlanEntryPriority',
    'PlanEntryStatus',
    'StringFormat',
  ].map(anyString),
  {
    def: 'ContentBlock',
    reason: nothingLost,
    patch: (union) => opened(union, 'type'),
    witness: { type: 'hologram', depth: 3 },
  },
  {
    def: 'ToolCallContent',
    reason: `${nothingLost} A reference to a session became stable after the release of these schemas.`,
    patch: (union) => opened(withSessionReference(union), 'type'),
    witness: { type: 'hologram', depth: 3 },
  },
  {
    def: 'PlanUpdateContent',
    reason: `${nothingLost} ${newPlans}`,
    patch: openPlans,
    witness: { type: 'gantt', planId: 'p' },
  },
  {
    def: 'AuthMethod',
    reason:
      'A malformed terminal method is dropped. Taken for an agent method, it would be passed to `authenticate`, which the protocol forbids.',
    patch: ({ anyOf = [] }) => ({
      anyOf: anyOf.map((branch) =>
        tagOf(branch as SchemaObject, 'type') === undefined
          ? { allOf: [branch], not: { properties: { type: { const: 'terminal' } }, required: ['type'] } }
          : branch,
      ),
    }),
    witness: { type: 'terminal', id: 'a', name: 'A', args: 5 },
  },
];

/** The property may be an empty list. */
const emptyLists = (def: string, witness: unknown, ...keys: readonly string[]): Difference => ({
  def,
  reason: asTheOther,
  patch: (schema) =>
    withProperties(
      schema,
      Object.fromEntries(
        keys.map((key) => {
          const { minItems: _, ...list } = (schema.properties?.[key] ?? {}) as SchemaObject;
          return [key, list];
        }),
      ),
    ),
  witness,
});

const inTwoScopes = (def: string, mode: object): Difference => ({
  def,
  reason: 'Where both scopes are given, the session counts.',
  patch: ({ oneOf = [], ...rest }) => ({ ...rest, anyOf: oneOf }),
  witness: { ...mode, sessionId: 's', requestId: 1 },
});

const v2Differences: readonly Difference[] = [
  { ...openDirectories, witness: { sessionId: 's', cwd: '/', additionalDirectories: 5 } },
  emptyLists('StringPropertySchema', { enum: [] }, 'enum', 'oneOf'),
  emptyLists('StringMultiSelectItems', { enum: [] }, 'enum'),
  emptyLists('TitledMultiSelectItems', { anyOf: [] }, 'anyOf'),
  {
    def: 'ElicitationSchema',
    reason: asTheOther,
    patch: ({ required: _, ...schema }) =>
      withProperties(schema, {
        type: forgiven({ default: 'object', allOf: [{ $ref: '#/$defs/ElicitationSchemaType' }] }),
        properties: { ...(schema.properties?.['properties'] as SchemaObject), default: {} },
      }),
    witness: {},
  },
  {
    def: 'RequestId',
    reason: asTheOther,
    patch: ({ anyOf = [] }) => ({ anyOf: [...anyOf, { type: 'null' }] }),
    witness: null,
  },
  {
    def: 'ListSessionsResponse',
    reason: asTheOther,
    patch: (schema) => withProperties(schema, { nextCursor: optionalText }),
    witness: { sessions: [], nextCursor: 5 },
  },
  {
    def: 'PlanItems',
    reason: asTheOther,
    patch: (schema) =>
      withProperties(schema, { entries: forgiven(schema.properties?.['entries'] as SchemaObject) }),
    witness: { planId: 'p', entries: 5 },
  },
  {
    def: 'PlanUpdateContent',
    reason: newPlans,
    patch: openPlans,
    witness: { type: 'file', planId: 'p' },
  },
  {
    def: 'ToolCallContent',
    reason: 'A reference to a session became stable after the release of these schemas.',
    patch: (union) => opened(withSessionReference(union), 'type'),
    witness: { type: 'session', sessionId: 5 },
  },
  ...bothVersions,
  inTwoScopes('ElicitationFormMode', { requestedSchema: { type: 'object', properties: {} } }),
  inTwoScopes('ElicitationUrlMode', { elicitationId: 'e', url: 'https://example.com' }),
  idleState,
  {
    def: 'ErrorData',
    reason: 'What comes with an error is handed on as it came.',
    patch: () => ({}),
    witness: { requested: 2, supported: [1], _meta: 5 },
  },
  {
    def: 'StateUpdate',
    reason: 'The background work of an unknown state is read, so that no malformed one gets through.',
    patch: (union, defs) => withOther(union, 'state', defs['RunningStateUpdate']?.properties ?? {}),
    witness: { state: 'dreaming', background: 5 },
  },
  {
    def: 'DiffChange',
    reason:
      'The texts of earlier drafts, and the paths of unknown operations, are read, so that none is malformed.',
    patch: (union) =>
      withOther(withProperties(union, { oldText: optionalText, newText: text }), 'operation', {
        path: text,
        oldPath: text,
      }),
    witness: { operation: 'modify', path: '/a', newText: 5 },
  },
];

/** By version. */
export const differences: Readonly<Record<1 | 2, readonly Difference[]>> = {
  1: v1Differences,
  2: v2Differences,
};

/** The official definitions as we read them. */
export function patched(defs: Defs, list: readonly Difference[]): Defs {
  const read: Record<string, SchemaObject> = { ...defs };
  for (const { def, patch } of list) read[def] = patch(read[def] as SchemaObject, read);
  return read;
}
