import { basename } from 'node:path';
import type { AgentProbe } from '../../agents/probe/probe.ts';
import type { ProbeSession } from '../../agents/probe/steps.ts';
import { cleanLine } from '../../core/render/clean.ts';
import { wrapLines } from '../../core/render/lines.ts';
import type { SpawnAgentOptions } from '../../node/process/spawn.ts';
import { fitTable, type Output, type Paint, painted } from './print.ts';

/** What `npx acp-client-sdk doctor` found out about an agent. `name` is its id in the registry. */
export type AgentCheck =
  | {
      readonly status: 'checked';
      readonly name: string | undefined;
      readonly command: SpawnAgentOptions;
      readonly probe: AgentProbe;
    }
  | { readonly status: 'notInstalled' | 'notChecked'; readonly name: string; readonly reason: string };

/** A check as JSON. What is absent is `null`. The arguments are left out, because they can contain keys. */
export function jsonOf(check: AgentCheck): object {
  const { status } = check;
  if (check.status !== 'checked') return { name: check.name, status, reason: check.reason };
  const { program = null, agentInfo = null, version = null, dialect = null, features = null } = check.probe;
  const { command } = check.command;
  return {
    name: check.name ?? null,
    status,
    command,
    ...check.probe,
    program,
    agentInfo,
    version,
    dialect,
    features,
  };
}

const lists = [
  {
    status: 'notChecked',
    title: 'Not checked',
    advice: 'To check one of them: npx acp-client-sdk doctor --agent NAME',
  },
  { status: 'notInstalled', title: 'Not installed', advice: '' },
] as const;

type Look = Pick<Output, 'width' | 'color'>;

/** Checks as text: a section for each agent that was checked, and lists of the others. */
export function checkText(checks: readonly AgentCheck[], which: 'one' | 'all', output: Look): string {
  const { width } = output;
  const sections = checks.flatMap((check) => (check.status === 'checked' ? [section(check, output)] : []));
  const others = lists.flatMap(({ status, title, advice }) => {
    const found = checks.flatMap((check) => (check.status === status ? [check] : []));
    if (found.length === 0) return [];
    const rows = found.map(({ name, reason }) => [`  ${name}`, cleanLine(reason)]);
    const lines = advice === '' ? '' : `${wrapLines(advice, width ?? 80)}\n`;
    return [`${painted(title, ';1', output)}\n${fitTable(rows, width)}${lines}`];
  });
  const none = sections.length === 0 && which === 'all' ? ['No agent of the registry is installed.\n'] : [];
  return [...none, ...sections, ...others].join('\n');
}

function section(
  { name, command, probe }: AgentCheck & { readonly status: 'checked' },
  output: Look,
): string {
  const { agentInfo, problems } = probe;
  const reported = agentInfo && cleanLine(agentInfo.title ?? agentInfo.name, agentInfo.version);
  const heading = [name, reported ?? (name === undefined ? basename(command.command) : undefined)].filter(
    Boolean,
  );
  const fields = [
    ['program', probe.program ?? 'not found'],
    ...(probe.program === undefined ? [['searched', probe.searched.join(', ') || 'nothing']] : []),
    ...(agentInfo || probe.dialect ? connectedFields(probe) : []),
    ['time', timeText(probe)],
    ...problems.flatMap(({ message, remedy }) => [
      ['problem', message],
      ['to do', remedy],
    ]),
  ];
  const rows = fields.map(([label = '', text = '']) => [`  ${label}`, cleanLine(text)]);
  const paint: Paint = (cell, column, [label = '']) =>
    painted(cell, column === 0 ? ';2' : (looks[label.trim()] ?? ''), output);
  const title = painted(cleanLine(heading.join(': ')), ';1', output);
  return `${title}\n${fitTable(rows, output.width, paint)}`;
}

/** The attributes of what a reader looks for. */
const looks: Readonly<Record<string, string>> = { problem: ';31', 'to do': ';1' };

const sessions: Readonly<Record<ProbeSession, string>> = {
  deleted: 'opens, and was deleted again',
  kept: 'opens, and stays in the history of the agent, which cannot delete it',
  failed: 'does not open',
  skipped: 'not tried',
};

function connectedFields({ protocolVersions, login, loginReason, session }: AgentProbe): string[][] {
  // The problem of a missing login has the reason.
  const loginText = login === 'no' ? 'no' : `${login}. ${loginReason}`;
  const versions = protocolVersions.length > 1 ? 'versions' : 'version';
  return [
    ['protocol', `${versions} ${protocolVersions.join(' and ')}`],
    ['login', loginText],
    ['session', sessions[session]],
  ];
}

/** How long all steps took. */
function timeText({ steps }: AgentProbe): string {
  const totalMs = steps.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `${(totalMs / 1000).toFixed(1)} s`;
}
