import { habits } from './habit-list.mjs';
import { allSteps } from './scenario/steps.mjs';

const marks = { works: 'yes', lacks: '–', refuses: 'refused', differs: 'no', fault: '**fault**' };

/**
 * The page about the agents, from their reports: which step works with which agent, what each of them lacks, and
 * what this library makes of its habits.
 */
export function agentsPage(reports) {
  const columns = reports.flatMap((report) =>
    Object.entries(report.runs).map(([version, run]) => ({ report, version, run })),
  );
  return [
    '# Agents',
    introduction(reports),
    '## What works',
    stepTable(columns),
    '## Agent by agent',
    ...reports.map(agentSection),
    '## Habits',
    habitText,
    habitTable(columns),
    '## Settings for some agents',
    settingsText,
    'Next: [Architecture](architecture.md)\n',
  ].join('\n\n');
}

function introduction(reports) {
  const platforms = [...new Set(reports.map(({ platform }) => platform))].join(', ');
  return `This page is written by \`npm run test:agents\`: do not edit it. The suite installs ${reports.length - 1} agents from
npm at the versions named below, gives each a mock model on loopback and a clean home, and drives it with this library
through one scenario, in every version of the protocol that it speaks. A small agent on the official SDK is driven in the
same way. After each step nothing may be open but what a replay left unfinished, nothing that the agent sent may be missing
in the conversation, and every promise must have settled. What the agent sent is held against the published schema. These
runs were made on ${platforms}.

\`npm run test:agents -- opencode codex\` runs some of them. Agents are installed into \`ACP_AGENTS_CACHE\`, by default a
folder for temporary files, about 2.4 GiB for all; the size of each is said before. No key is needed. As root on Linux
the agents run in a network namespace that has nothing but loopback, and elsewhere behind proxies that nobody answers.
Every process that an agent leaves is ended.`;
}

function stepTable(columns) {
  const heads = columns.map(({ report, version }) => `${report.name} v${version}`);
  const rows = allSteps.map(({ id, title }) => [
    title,
    ...columns.map(({ run }) => marks[run.steps[id]?.outcome] ?? ''),
  ]);
  return `${table(['', ...heads], rows)}

\`–\`: the agent does not offer it; where a call depends on a capability, nothing was sent. \`refused\`: it answered with
an error. \`no\`: it does something else; its section says what.`;
}

/** What a settings page would show, and no page of the specification calls a draft. */
const shownFeatures = [
  'session.load',
  'session.resume',
  'session.close',
  'session.list',
  'session.delete',
  'session.additionalDirectories',
  'session.mcp.stdio',
  'session.mcp.http',
  'session.prompt.image',
  'session.prompt.audio',
  'session.prompt.embeddedContext',
  'auth.logout',
];

function agentSection({ name, package: packageName, date, initialize, runs }) {
  const answers = Object.entries(initialize).map(
    ([offered, { protocolVersion }]) =>
      `offered ${offered.replace(', ', ' and ')} it answers ${protocolVersion}`,
  );
  const { agentInfo } = Object.values(initialize)[0];
  const called = agentInfo ? `${agentInfo.title ?? agentInfo.name} ${agentInfo.version}` : 'no name';
  return [
    `### ${name}`,
    `\`${packageName}\`, run on ${date}, which calls itself ${called}: ${answers.join(', ')}.`,
    ...Object.entries(runs).map(([version, run]) => runText(version, run, initialize)),
  ].join('\n\n');
}

function runText(version, { steps, losses, breaches, extras, faults }, initialize) {
  const answer = Object.values(initialize).find(({ protocolVersion }) => String(protocolVersion) === version);
  const lacking = shownFeatures.filter((feature) => !answer.features[feature]);
  const notes = allSteps
    .filter(({ id }) => steps[id]?.note)
    .map(({ id, title }) => `- ${title}: ${steps[id].note}.`);
  return [
    `**Version ${version}.** ${lacking.length > 0 ? `It does not offer ${lacking.map((feature) => `\`${feature}\``).join(', ')}.` : 'It offers everything that this page looks for.'}`,
    ...(notes.length > 0 ? [notes.join('\n')] : []),
    losses.length > 0
      ? `Of its replay: ${losses.join('; ')}.`
      : 'Its replay and what was lived through give equal conversations.',
    breaches.length > 0
      ? `Against the schema: ${breaches.join('; ')}.`
      : 'Everything it sends is as the schema says.',
    ...(extras.length > 0 ? [`Fields of its own, in ${extras.join('; in ')}.`] : []),
    ...(faults.length > 0 ? [`**Faults of this library:** ${faults.join('; ')}.`] : []),
  ].join('\n\n');
}

const habitText = `What agents do that a client must be ready for, and the test that pins what this library makes of it. Where no agent is
named the scenario does not come to it, or not every time, or no agent of this page does it: the case is written from what agents were seen
to do elsewhere. Nothing is guessed from what a text says.`;

function habitTable(columns) {
  const rows = habits.map(({ id, title, client, file }) => {
    const names = columns
      .filter(({ run }) => run.habits.includes(id))
      .map(({ report, version }) => `${report.name} v${version}`);
    return [title, client, names.join(', '), `[${file}](../test/${file})`];
  });
  return table(['An agent', 'The client', 'Seen with', 'Pinned in'], rows);
}

const settingsText = `What an agent needs of the editor, and no other agent should get. The editor goes by the agent that its user has
chosen; this library does nothing of it by itself.

| agent | what it needs | setting |
| --- | --- | --- |
| gemini | reading a missing file must not be an error, or it cannot create files | \`nodeFileSystem({ roots, missingFile: 'empty' })\` |
| gemini | a while between the beginning of a session and its load in another process, as its histories are named by the minute | none: try the load again |`;

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
