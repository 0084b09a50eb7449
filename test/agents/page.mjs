import { catalog } from './catalog.mjs';
import { doctorSection } from './doctor-section.mjs';
import { habits } from './habit-list.mjs';
import { runtime } from './install.mjs';
import { remoteSection } from './remote-section.mjs';
import { allSteps } from './scenario/steps.mjs';
import { linkRow, toolsText } from './tool-section.mjs';

const marks = {
  works: 'yes',
  partly: 'in part',
  lacks: '–',
  refuses: 'refused',
  differs: 'no',
  varies: 'varies',
  fault: '**fault**',
};

/** The page about the agents, from their reports: the steps, what each agent lacks, and the habits of agents. */
export function agentsPage(reports) {
  const columns = reports.flatMap((report) =>
    Object.entries(report.runs).map(([version, run]) => ({ report, version, run })),
  );
  return [
    '# Results with real agents',
    introduction(reports),
    '## What works',
    stepTable(columns),
    doctorSection(reports.flatMap(({ doctor }) => (doctor?.check ? [doctor] : []))),
    ...remoteSections(reports.flatMap(({ remote }) => remote ?? [])),
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

/** None where no server was run. */
function remoteSections(results) {
  return results.length > 0 ? [remoteSection(results)] : [];
}

function introduction(reports) {
  const platforms = [...new Set(reports.map(({ platform }) => platform))].join(', ');
  return `\`npm run suite -- agents\` drives real agents with this library, and \`npm run suite -- agents --write\` writes this page from
the results. Do not edit it. [Agents](agents.md) is the page for users. The table there is made from this one. The suite installs ${reports.length - 1} agents from npm, at the versions below, and also runs a small agent
on the official SDK. Each agent gets a clean home directory and a mock model on loopback, and runs one scenario in each
version of the protocol that it supports. After each step, the suite checks that every promise has settled, that nothing
is open except what a replay left unfinished, and that everything that the agent sent is in the conversation. It
validates the messages of the agent against the published schema. The results are from ${platforms}.

On the site of this documentation, each cell of the tables of steps leads to the recording of that step: the messages
that open the run, and those of the step, without secrets and without paths of the machine. Long texts in \`_meta\` are
cut.

Without \`--write\`, the suite compares the results with this page and fails if they differ. With \`--latest\`, it runs the newest
versions on npm, and prints what they do in another way.
\`npm run suite -- agents opencode codex\` runs some of the agents and compares their parts of the page. Agents are
installed in the directory \`ACP_AGENTS_CACHE\`, by default a temporary directory: about ${totalGiB()} GiB for all. No key is
needed. As root on Linux, the agents run in a network namespace with loopback only; on other systems they get an
unreachable proxy. The suite ends every process that an agent leaves behind.`;
}

function totalGiB() {
  const sizes = [runtime, ...catalog].map(({ sizeMiB = 0 }) => sizeMiB);
  return (sizes.reduce((sum, size) => sum + size, 0) / 1024).toFixed(1);
}

function stepTable(columns) {
  const heads = columns.map(({ report, version }) => `${report.name} v${version}`);
  const rows = allSteps.map(({ id, title }) => [title, ...columns.map(({ run }) => cellOf(run.steps[id]))]);
  rows.push(linkRow(columns));
  return `${table(['', ...heads], rows)}

The rows about questions are runs in a home where nothing is set about permissions, with an edit and a command that stays in the
sandbox of the agent, if it has one. \`yes\`: nothing is done without a question. \`in part\`: one of the two is. The row about the
cancel has a command that would make a file five seconds after the cancel. \`no\`: the file appears.

\`–\`: the agent does not offer it; if a call needs a capability, nothing was sent. \`refused\`: the agent
answered with an error. \`no\`: it does something else; its section describes it. \`varies\`: the result differs between
runs; its section says why. An empty cell: the step needs a session, and the agent does not open one.

\`a saved transcript reopened, its own history deleted\`: \`openTranscripts\` records a session, everything that the
agent wrote is deleted, and [\`reopen\`](transcripts.md#continue-a-session) opens the transcript with a new run of the agent.
\`yes\`: every entry is there once. The cell says how the session goes on: \`loaded\`, \`resumed\`, or \`none\` for a
transcript that is for reading.

${toolsText}`;
}

function cellOf(step) {
  const mark = marks[step?.outcome] ?? '';
  return ['works', 'varies'].includes(step?.outcome) && step.way ? `${mark}, ${step.way}` : mark;
}

/** The features that a settings page would show, without drafts. */
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

function agentSection({ name, package: packageName, initialize, runs }) {
  const remark = catalog.find((agent) => agent.name === name)?.remark;
  const answers = Object.entries(initialize).map(
    ([offered, { protocolVersion }]) =>
      `Offered version${offered.includes(',') ? 's' : ''} ${offered.replace(', ', ' and ')}, it answers ${protocolVersion}.`,
  );
  const { agentInfo } = Object.values(initialize)[0];
  const called = agentInfo
    ? `Reported name: ${agentInfo.title ?? agentInfo.name} ${agentInfo.version}.`
    : 'It reports no name.';
  return [
    `### ${name}`,
    `\`${packageName}\`${remark ? ` ${remark}` : ''}. ${called} ${answers.join(' ')}`,
    ...Object.entries(runs).map(([version, run]) => runText(version, run, initialize)),
  ].join('\n\n');
}

function runText(version, { steps, losses, breaches, extras, faults, varyingHabits = [] }, initialize) {
  const answer = Object.values(initialize).find(({ protocolVersion }) => String(protocolVersion) === version);
  const lacking = shownFeatures.filter((feature) => !answer.features[feature]);
  const notes = allSteps
    .filter(({ id }) => steps[id]?.note)
    .map(({ id, title }) => `- ${title}: ${steps[id].note}.`);
  return [
    `**Version ${version}.** ${lacking.length > 0 ? `It does not offer ${lacking.map((feature) => `\`${feature}\``).join(', ')}.` : 'It offers all features that this page lists.'}`,
    ...(notes.length > 0 ? [notes.join('\n')] : []),
    ...(steps.load?.outcome === 'works' ? [replayText(losses)] : []),
    breaches.length > 0
      ? `Does not match the schema: ${breaches.join('; ')}.`
      : 'Everything that it sends matches the schema.',
    ...(extras.length > 0 ? [`Fields that are not in the schema, in ${extras.join('; in ')}.`] : []),
    ...varyingHabits.map((habit) => `Not on every run: ${habit}.`),
    ...(faults.length > 0 ? [`**Faults of this library:** ${faults.join('; ')}.`] : []),
  ].join('\n\n');
}

function replayText(losses) {
  return losses.length > 0
    ? `Replay: ${losses.join('; ')}.`
    : 'Its replay gives the same conversation as the live session.';
}

const habitText = `Agents do these things, and a client must handle them. Each habit has a test of this library:
\`npx vitest run -t 'agents: late-replay'\` runs the test with that tag. If a row names no agent, no agent did it in
this scenario, or an agent does it on some runs only. The test then follows behavior that was seen elsewhere.`;

function habitTable(columns) {
  const rows = habits.map(({ id, title, client }) => {
    const seen = columns
      .filter(({ run }) => run.habits.includes(id))
      .map(({ report, version }) => `${report.name} v${version}`);
    return [title, client, seen.join(', '), `\`${id}\``];
  });
  return table(['An agent', 'The client', 'Seen with', 'Tag of the test'], rows);
}

const settingsText = `Some agents need settings that other agents must not get. This library does not apply them automatically: the editor
selects them for the agent that the user chose.

| agent | what it needs | setting |
| --- | --- | --- |
| gemini | It can create files only if reading a missing file is not an error. | \`nodeFileSystem({ roots, missingFile: 'empty' })\` |
| gemini | Its history files have names with minutes. A load in the minute in which the session began writes to the same file and empties it, and no later load finds the session. | none: load a session when it is a minute old. A crash in its first minute loses it, also with \`reconnect\` |
| gemini | It answers a load before it has sent the replay. A prompt that is sent at once mixes with the rest of the replay. | none: prompt when no update has arrived for half a second |
| qwen | It waits five seconds for a server of tools over HTTP, and does not try again. On a busy machine, the model gets no tools. Over stdio it waits 30 seconds. | \`toolServer({ transports: ['stdio'], … })\` |
| claude, codex, nanocoder | They open sessions in a mode in which they edit files and run commands without asking. | \`newSession(params, { permissions: 'ask' })\` |
| opencode, kilo | They ask only where their configuration or a variable says so. | \`spawnAgent({ …, permissions: 'ask' })\` |
| pi | It never asks. The warning \`session.does_not_ask\` says so. | none |
| omp, grok | omp edits files without asking, and grok runs some commands. | none |`;

function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
