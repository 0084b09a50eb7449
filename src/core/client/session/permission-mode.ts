import { type DiagnosticListener, errorMessage, warning } from '../../base/diagnostic.ts';
import { type SessionSetting, settingsOf } from '../../conversation/settings.ts';
import type { AgentKnowledge, PermissionSetting } from '../../protocol/agent-knowledge.ts';
import type { CallOptions } from '../calls/call-options.ts';
import type { Caller } from '../calls/calls.ts';
import type { Session } from './session.ts';

/** Whether an agent asks for permission before it edits files or runs commands, as far as this library knows it. */
export interface AsksForPermission {
  /** `unknown`: this library knows nothing about the agent, or about the value that is set. */
  readonly asks: 'yes' | 'no' | 'unknown';
  /** That it does not or may not ask, as one sentence for the user. `null` if it asks. */
  readonly reason: string | null;
}

/** Whether an agent asks with these settings. `known`: those that decide. */
export function asksWith(
  known: AgentKnowledge['permissions'],
  settings: readonly SessionSetting[],
): AsksForPermission {
  if (!known) return mayAct;
  if (known.length === 0) {
    return {
      asks: 'no',
      reason: 'This agent never asks for permission before it edits files or runs commands.',
    };
  }
  const states = known.flatMap((row) => {
    const setting = settings.find(({ settingId }) => settingId === row.settingId);
    return setting ? [{ row, setting, value: String(setting.value) }] : [];
  });
  const loose = states.find(({ row, value }) => row.notAsking.includes(value));
  if (loose) return { asks: 'no', reason: sentenceOf(loose.setting) };
  const isKnown = states.length > 0 && states.every(({ row, value }) => row.asking.includes(value));
  return isKnown ? { asks: 'yes', reason: null } : mayAct;
}

const mayAct: AsksForPermission = { asks: 'unknown', reason: 'This agent may act without asking.' };

function sentenceOf({ name, value, choices }: SessionSetting): string {
  const shown = choices?.find((choice) => choice.value === value)?.name ?? String(value);
  return `With ${JSON.stringify(name)} set to ${JSON.stringify(shown)}, the agent edits files or runs commands without asking for permission.`;
}

/** What a call that opens a session wants. */
export interface PermissionModeOptions {
  /**
   * `ask`: selects the setting with which the agent asks for permission, right after the session has opened and before
   * the call resolves, and again after each restart, before `connection.ready` resolves. It works for the agents that
   * this library knows, and changes nothing for an agent that asks already. Default: the agent's own mode stays. In both
   * cases the diagnostic `session.does_not_ask` says that the agent does not ask.
   */
  readonly permissions?: 'ask' | undefined;
}

/** Selects the setting with which agents ask, and reports where they do not. */
export function permissionModes(caller: Caller, report: DiagnosticListener) {
  /** The sessions that must ask, also when they are opened again. */
  const asking = new WeakSet<Session>();

  /** A session has opened. Never rejects: the session is open, also if its mode could not be changed. */
  async function opened(
    session: Session,
    options: CallOptions & PermissionModeOptions,
    wanted = askingValue,
  ): Promise<void> {
    if (options.permissions === 'ask') asking.add(session);
    const { agent, program } = caller.link;
    const { permissions, askingVariable } = agent;
    if (askingVariable && program?.env?.(askingVariable.name) === undefined) {
      const { name, value } = askingVariable;
      const message = `This agent may act without asking: its configuration decides. Start it with permissions: 'ask' of spawnAgent, or with the variable ${name}=${value}.`;
      report(warning('session.does_not_ask', message));
    }
    if (!permissions) return;
    const failure = asking.has(session) ? await select(session, permissions, options, wanted) : undefined;
    const { asks, reason } = asksWith(permissions, settingsOf(session.conversation));
    if (asks !== 'no' || session.isClosed) return;
    const why = failure === undefined ? '' : ` The setting could not be changed: ${failure}`;
    report(warning('session.does_not_ask', `${reason} The handler requestPermission is not called.${why}`));
  }

  /** A session was opened again in another process of the agent. `undefined` if it need not ask. */
  const reopened = (session: Session) => (asking.has(session) ? opened(session, {}, valueAgain) : undefined);

  return { opened, reopened };
}

export type PermissionModes = ReturnType<typeof permissionModes>;

/** Sets what asks. Returns what went wrong. */
async function select(
  session: Session,
  permissions: readonly PermissionSetting[],
  { signal, timeoutMs }: CallOptions,
  wanted: typeof askingValue,
): Promise<string | undefined> {
  let failure: string | undefined;
  for (const row of permissions) {
    const setting = settingsOf(session.conversation).find(({ settingId }) => settingId === row.settingId);
    const value = setting && wanted(row, setting);
    if (value === undefined) continue;
    try {
      await session.changeSetting(row.settingId, value, { signal, timeoutMs });
    } catch (error) {
      failure = errorMessage(error);
    }
  }
  return failure;
}

/** The value to set. `undefined` if the agent asks already, or does not offer one with which it does. */
function askingValue(
  { asking }: PermissionSetting,
  { value, choices }: SessionSetting,
): string | boolean | undefined {
  if (asking.includes(String(value))) return undefined;
  if (choices === null) return asking[0] === 'true';
  return asking.find((wanted) => choices.some((choice) => choice.value === wanted));
}

/** The value to set, where the one that is shown can be that of the process before: the agent need not report it again. */
function valueAgain(row: PermissionSetting, setting: SessionSetting): string | boolean | undefined {
  return row.asking.includes(String(setting.value)) ? setting.value : askingValue(row, setting);
}
