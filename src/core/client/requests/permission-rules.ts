import * as v from 'valibot';
import { callback, checkOptions, optional, optionsObject, shown } from '../../base/options.ts';
import type { PermissionOption } from '../../model/permission.ts';
import type { ToolKind } from '../../model/tool-call.ts';
import type { Session } from '../session/session.ts';
import { choosePermissionOption } from './choose-permission-option.ts';
import type { HandlerContext, PermissionOutcome, PermissionRequest } from './handlers.ts';

/** The user's answer to a question of {@link permissionRules}. */
export type PermissionDecision = PermissionOutcome & {
  /**
   * Until the session ends, answer in the same way, without a question:
   *
   * - `request`: requests that are exactly the same, apart from ids. `_meta` counts
   * - `kind`: all requests of tool calls of the same kind, such as all edits
   *
   * Default: ask again. Remembers only an option that allows or rejects.
   */
  readonly remember?: 'request' | 'kind' | undefined;
};

/**
 * Decides about one request: `true` allows it, and `false` leaves it to the other rules. If it throws, the request is
 * answered `cancelled`. `editsInside` of `acp-client-sdk/node` is one.
 */
export type PermissionRule = (
  request: PermissionRequest,
  context: HandlerContext,
) => boolean | Promise<boolean>;

/** Options of {@link permissionRules}. */
export interface PermissionRulesOptions {
  /**
   * What is allowed without a question: kinds of tool calls, such as `read` and `search`, and functions, such as
   * `editsInside([directory])`. Default: nothing.
   */
  readonly allow?: readonly (ToolKind | PermissionRule)[] | undefined;
  /**
   * Asks the user. Called for every request that no rule answers. Without it, the request is refused, as a CI job
   * needs it.
   */
  ask?(request: PermissionRequest, context: HandlerContext): PermissionDecision | Promise<PermissionDecision>;
}

type Verdict = 'allow' | 'reject';

/**
 * A handler for permission requests: what `allow` names is allowed, and `ask` decides about everything else. Without `ask`,
 * everything else is refused. `allow` takes kinds of tool calls, such as `read`, and functions, such as
 * `editsInside([directory])`.
 *
 * A decision of `ask` with `remember` holds until the session ends: `request` for requests that are exactly the same, `kind`
 * for all tool calls of the same kind.
 *
 * A rule selects the agent's option that allows or rejects once. If the agent does not offer such an option, or offers
 * several, the user is asked.
 *
 * The kind and the files of a tool call are what the agent says. Do not use rules with an agent that you do not trust.
 *
 * @throws {@link InvalidParamsError} if an option is wrong, such as a kind in `allow` that the protocol does not have. A kind
 *   of the agent's own begins with `_`.
 *
 * @example
 * ```ts
 * const requestPermission = permissionRules({
 *   allow: ['read', 'search'],
 *   ask: async ({ options }) => ({ ...(await showButtons(options)), remember: 'request' }),
 * });
 * const connection = await connect(agent, { clientInfo, handlers: { requestPermission } });
 * ```
 */
export function permissionRules(
  options: PermissionRulesOptions,
): (request: PermissionRequest, context: HandlerContext) => Promise<PermissionOutcome> {
  checkOptions('permissionRules', optionsSchema, options);
  const { allow = [], ask = refuse } = options;
  const remembered = new WeakMap<Session, Map<string, Verdict>>();
  return async (request, context) => {
    const verdicts = remembered.get(context.session) ?? new Map<string, Verdict>();
    remembered.set(context.session, verdicts);
    const kind = request.toolCall?.toolKind;
    const keys = { request: requestKey(request, context.meta), kind: kind && `kind:${kind}` };
    const verdict =
      verdicts.get(keys.request) ??
      (keys.kind === undefined ? undefined : verdicts.get(keys.kind)) ??
      ((await isAllowed(allow, request, context)) ? 'allow' : undefined);
    const ruled = verdict && choosePermissionOption(request.options, `${verdict}_once`);
    if (ruled) return ruled;
    const { remember, ...outcome } = await ask(request, context);
    const key = remember && keys[remember];
    const chosen = key === undefined ? undefined : verdictOf(outcome, request.options);
    if (key !== undefined && chosen) verdicts.set(key, chosen);
    return outcome;
  };
}

async function isAllowed(
  allow: readonly (ToolKind | PermissionRule)[],
  request: PermissionRequest,
  context: HandlerContext,
): Promise<boolean> {
  for (const rule of allow) {
    if (typeof rule !== 'function' ? rule === request.toolCall?.toolKind : await rule(request, context))
      return true;
  }
  return false;
}

function refuse({ options }: PermissionRequest): PermissionDecision {
  return choosePermissionOption(options, 'reject_once') ?? { outcome: 'cancelled' };
}

/**
 * What an answer means. `undefined` if the kind of its option is unknown, or options with its id have several kinds.
 */
function verdictOf(outcome: PermissionOutcome, options: readonly PermissionOption[]): Verdict | undefined {
  if (outcome.outcome !== 'selected') return undefined;
  const [kind, ...others] = new Set(
    options.filter(({ optionId }) => optionId === outcome.optionId).map((option) => option.kind),
  );
  if (others.length > 0) return undefined;
  if (kind === 'allow_once' || kind === 'allow_always') return 'allow';
  return kind === 'reject_once' || kind === 'reject_always' ? 'reject' : undefined;
}

/** Everything that a request says, also in `_meta`. Ids are left out: each request has others. */
function requestKey({ title, description, toolCall, subject }: PermissionRequest, meta: unknown): string {
  const { key, toolCallId: _, status, origin, permission, progress, ...call } = toolCall ?? {};
  const { toolCallId: __, terminalId: ___, ...about } = { ...subject } as { readonly [key: string]: unknown };
  return JSON.stringify([title, description, call, about, meta]);
}

/** The kinds that the protocol has. */
export const toolKinds = {
  read: true,
  edit: true,
  delete: true,
  move: true,
  search: true,
  execute: true,
  think: true,
  fetch: true,
  switch_mode: true,
  other: true,
} as const;

/** With a misspelled kind, a rule would allow nothing, and nothing would say so. */
const ruleSchema = v.custom<ToolKind | PermissionRule>(
  (value) =>
    typeof value === 'function' ||
    (typeof value === 'string' && (Object.hasOwn(toolKinds, value) || value.startsWith('_'))),
  ({ input }) =>
    `must be one of ${Object.keys(toolKinds).join(', ')}, a kind of the agent that begins with "_", or a function; got ${shown(input)}`,
);

const optionsSchema = optionsObject({ allow: optional(v.array(ruleSchema)), ask: optional(callback) });
