import { ConnectionStateError } from '../base/errors.ts';
import type { AuthRequiredHandler } from '../client/connection.ts';
import { loginCancelled, permissionTitle } from '../client/requests/dialog-texts.ts';
import type {
  ClientHandlers,
  ElicitationAnswer,
  PermissionOutcome,
  PermissionRequest,
} from '../client/requests/handlers.ts';
import type { PermissionOption } from '../model/permission.ts';
import type { AuthMethod } from '../protocol/dialect.ts';
import type { VsCode, VsCodePickItem } from './api.ts';
import { askForm } from './form.ts';
import { label } from './label.ts';
import { Prompts } from './pick.ts';

/** The handlers of {@link askWithQuickPick}: `onAuthRequired` for `connect`, and the others for its `handlers`. */
export interface QuickPickHandlers {
  readonly requestPermission: NonNullable<ClientHandlers['requestPermission']>;
  readonly elicit: {
    readonly form: NonNullable<NonNullable<ClientHandlers['elicit']>['form']>;
    readonly url: NonNullable<NonNullable<ClientHandlers['elicit']>['url']>;
  };
  readonly onAuthRequired: AuthRequiredHandler;
}

/**
 * Asks the user with the lists and input boxes of VS Code, for an extension without a panel: permissions, forms, pages
 * to open, and logins. One question is shown at a time. It closes when the agent no longer waits for the answer.
 *
 * Escape refuses: an option that rejects is selected, a form or a page is declined. If the agent offers no option that
 * rejects, the turn is cancelled. A click outside of the question leaves it open.
 *
 * @param vscode - The module `vscode`.
 *
 * @example
 * ```ts
 * const { onAuthRequired, ...ask } = askWithQuickPick(vscode);
 * const connection = await connect(agent, { clientInfo, onAuthRequired, handlers: { ...ask } });
 * ```
 * @see https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
 */
export function askWithQuickPick(
  vscode: VsCode,
  options: {
    /**
     * Runs a login method of type `terminal`, such as `loginInTerminal` of `editorActions`. Default: it is not offered.
     */
    readonly loginInTerminal?: ((method: AuthMethod) => Promise<void>) | undefined;
  } = {},
): QuickPickHandlers {
  const { loginInTerminal } = options;
  const prompts = new Prompts(vscode);
  // Environment variables have to be set before the agent starts.
  const isOffered = ({ type }: AuthMethod) =>
    type === 'terminal' ? loginInTerminal !== undefined : type !== 'env_var';
  return {
    requestPermission: (request, { session, subagent, signal }) =>
      prompts.inTurn(async (): Promise<PermissionOutcome> => {
        if (signal.aborted) return { outcome: 'cancelled' };
        const who = subagent ? `The subagent ${label(subagent.title ?? subagent.sessionId)} asks. ` : '';
        const placeholder = label(`${who}${request.description ?? 'Press Escape to refuse.'}`);
        const chosen = await prompts.choose(
          { title: label(permissionTitle(request)), placeholder },
          itemsOf(request),
          signal,
        );
        if (signal.aborted) return { outcome: 'cancelled' };
        const optionId = chosen?.optionId ?? rejecting(request.options)?.optionId;
        if (optionId !== undefined) return { outcome: 'selected', optionId };
        // The protocol has `cancelled` for a turn that is cancelled.
        await session.cancel();
        return { outcome: 'cancelled' };
      }),
    elicit: {
      form: (request, { signal }) => prompts.inTurn(() => askForm(prompts, request, signal)),
      url: ({ message, url }, { signal }) =>
        prompts.inTurn(async (): Promise<ElicitationAnswer> => {
          if (!/^https?:/i.test(url) || !URL.canParse(url)) return { action: 'decline' };
          const open = { label: `$(link-external) Open ${label(new URL(url).host)}`, detail: label(url) };
          const decline = { label: '$(x) Decline' };
          const text = { title: label(message), placeholder: 'The agent asks you to open a page.' };
          const chosen = await prompts.choose<VsCodePickItem>(text, [open, decline], signal);
          if (signal.aborted) return { action: 'cancel' };
          if (chosen !== open) return { action: 'decline' };
          const isOpen = await vscode.env.openExternal(vscode.Uri.parse(url, true));
          return { action: isOpen ? 'accept' : 'decline' };
        }),
    },
    async onAuthRequired({ authMethods, connection }) {
      const items = authMethods.filter(isOffered).map(loginItem);
      if (items.length === 0) {
        throw new ConnectionStateError(
          'The agent needs a login, and offers no method that works here. Log in as the agent describes it, then start it again.',
        );
      }
      const text = { title: 'The agent needs a login', placeholder: 'Choose how to log in.' };
      const chosen = await prompts.inTurn(() => prompts.choose(text, items, undefined));
      if (!chosen) throw new ConnectionStateError(loginCancelled);
      // Not in the turn: the agent can ask the user to open a page for the login.
      const { method } = chosen;
      if (method.type === 'terminal' && loginInTerminal) await loginInTerminal(method);
      else await connection.login(method.methodId);
    },
  };
}

const unknownKind = { icon: '$(question)', effect: '', order: 2 };

/** What the kind of an option means. Its name is the agent's. */
const kinds: Readonly<Record<string, typeof unknownKind>> = {
  allow_once: { icon: '$(check)', effect: 'allows once', order: 0 },
  allow_always: { icon: '$(check-all)', effect: 'always allows', order: 1 },
  reject_once: { icon: '$(x)', effect: 'rejects once', order: 3 },
  reject_always: { icon: '$(circle-slash)', effect: 'always rejects', order: 4 },
};
const kindOf = ({ kind }: PermissionOption) => (Object.hasOwn(kinds, kind) && kinds[kind]) || unknownKind;

function itemsOf({ options }: PermissionRequest) {
  return options
    .map((option) => ({ option, ...kindOf(option) }))
    .sort((one, other) => one.order - other.order)
    .map(({ option, icon, effect }) => ({
      label: `${icon} ${label(option.name)}`,
      description: effect,
      optionId: option.optionId,
    }));
}

/** The option that Escape selects. */
function rejecting(options: readonly PermissionOption[]): PermissionOption | undefined {
  // An id that two options have could allow.
  const unique = options.filter(
    ({ optionId }) => options.filter((other) => other.optionId === optionId).length === 1,
  );
  return (
    unique.find(({ kind }) => kind === 'reject_once') ?? unique.find(({ kind }) => kind === 'reject_always')
  );
}

function loginItem(method: AuthMethod) {
  const icon = method.type === 'terminal' ? '$(terminal)' : '$(key)';
  return { label: `${icon} ${label(method.name)}`, detail: label(method.description ?? ''), method };
}
