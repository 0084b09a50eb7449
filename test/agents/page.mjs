import { catalog } from './catalog.mjs';
import { habits } from './habit-list.mjs';
import { runtime } from './install.mjs';
import { table } from './result-tables.mjs';
import { allSteps, remoteSteps } from './scenario/steps.mjs';

/** The page about the agents, from their reports: what works, what each agent does in another way, habits, settings. */
export function agentsPage(reports) {
  return [
    '# Results with real agents',
    introduction(reports),
    '## What works',
    mainTable(reports),
    worksText(),
    '## What the doctor says',
    doctorText(reports),
    '## Over the network',
    ...reports.flatMap(({ name, remote }) => (remote ? [remoteText(name, remote)] : [])),
    '## Agent by agent',
    sectionsText,
    ...reports.map(agentSection),
    '## Habits',
    habitText,
    table(
      ['An agent', 'The client', 'Tag of the test'],
      habits.map(({ id, title, client }) => [title, client, quoted(id)]),
    ),
    '## Settings for some agents',
    settingsText,
    'Next: [Architecture](architecture.md)\n',
  ].join('\n\n');
}

function introduction(reports) {
  const platforms = [...new Set(reports.map(({ platform }) => platform))].join(', ');
  return `[Agents](agents.md) is the page for users. This one says what each agent did with this library, step by step, on ${platforms}. The suite of real agents writes it, and \`test/agents/results.md\` with all results as tables, which the site shows below with a recording of each step. Do not edit them.

\`npm run suite -- agents\` installs ${reports.length - 1} agents from npm, about ${totalGiB()} GiB, and runs one scenario in each version of the protocol that an agent speaks. It also runs a small agent on the official SDK. Each agent gets an empty home and a mock model on loopback. After each step, every promise must have settled, and all that the agent sent must be in the conversation and match the published schema. The suite fails if the results differ from this page: \`--write\` writes it, and \`--latest\` runs the newest versions on npm.`;
}

function totalGiB() {
  const sizes = [runtime, ...catalog].map(({ sizeMiB = 0 }) => sizeMiB);
  return (sizes.reduce((sum, size) => sum + size, 0) / 1024).toFixed(1);
}

/** The names of steps whose titles need the row above, and the step that they repeat in another way. */
const variants = {
  asks: { name: 'asks by default' },
  'asks-option': { of: 'asks', name: "asks with `permissions: 'ask'`" },
  'steer-after-queue': {
    of: 'steer',
    name: 'a message for the running turn, after a prompt that had to wait',
  },
  'tools-stdio': { of: 'tools', name: 'a tool of the editor over stdio' },
};
const nameOf = ({ id, title }) => variants[id]?.name ?? title;
const namesOf = (steps) => steps.map(nameOf).join('; ');

/** The steps that few agents offer. */
const rare = new Set(['steer', 'steer-after-queue', 'delete']);

const mainSteps = ['asks', 'asks-option', 'stop', 'load'];

/** What a user must know first: which agents do it, in part, and not. */
function mainTable(reports) {
  const runs = reports.flatMap(({ name, runs: own }) =>
    Object.entries(own).map(([version, { steps }]) => ({
      name: version === '1' ? name : `${name} v${version}`,
      steps,
    })),
  );
  const main = mainSteps.map((id) => allSteps.find((step) => step.id === id));
  const rows = main.map(({ id, title }) => {
    const agentsWith = (...outcomes) =>
      runs.filter(({ steps }) => outcomes.includes(steps[id]?.outcome)).map(({ name }) => name);
    return [title, agentsWith('works', 'varies'), agentsWith('partly'), agentsWith('differs', 'lacks')];
  });
  return table(
    ['', 'yes', 'in part', 'no'],
    rows.map(([title, ...cells]) => [title, ...cells.map((names) => names.join(', ') || '–')]),
  );
}

function worksText() {
  const others = allSteps.filter(({ id }) => !rare.has(id) && !mainSteps.includes(id));
  return `These steps work with each agent, unless its section says otherwise:

${namesOf(others)}.

Few agents offer these: ${namesOf(allSteps.filter(({ id }) => rare.has(id)))}.

* It asks by default if, with nothing set about permissions in its home, it edits no file and runs no command without a question.
* The cancel comes while a command runs that makes a file after five seconds. The file must not appear.
* A saved transcript is reopened with [\`reopen\`](transcripts.md#continue-a-session), and has every entry once.
* A tool of the editor gets the session of its call, its result reaches the model, and a cancel aborts it.`;
}

function doctorText(reports) {
  const checked = reports.flatMap(({ doctor }) => (doctor?.check ? [doctor] : []));
  const answered = (login) => checked.flatMap(({ name, check }) => (check.login === login ? [name] : []));
  return `\`acp-client doctor\` checked each agent without a key. It sends no prompt.

* \`no\`, because the agent says so or refuses a session: ${answered('no').join(', ')}.
* \`unknown\`, because the agent opens a session and does not report its login: ${answered('unknown').join(', ')}.

It never says \`yes\`, and leaves no process behind.`;
}

/** What most agents offer, and what few do. Steps show the other features. */
const offeredByMost = [
  'session.mcp.stdio',
  'session.mcp.http',
  'session.prompt.image',
  'session.prompt.embeddedContext',
];
const offeredByFew = ['session.additionalDirectories', 'session.prompt.audio', 'auth.logout'];

/** What most agents do at a step, by its id. No section repeats it. */
const usual = {
  write: 'asks; done by the agent',
  read: 'does not ask; done by the agent',
  shell: 'asks; done by the agent; the output is shown',
  reject: 'the model continues, stop reason end_turn',
  'model-error': 'error -32603, with the reason',
  subagent: 'only its tool call is shown',
  'two-prompts': 'the first ends after the cancel (cancelled), the second ends after the cancel (cancelled)',
  reconnect: 'without the interrupted turn',
  'missing-key': 'session/new ends with error -32000, and the user is asked to log in',
};
/** What says nothing that a reader needs. */
const needless =
  /^(?:it has no tool for \w+ here|the model gets the tool as `[^`]+`; progress is asked for)$/;

const sectionsText = `A section says only what differs from what most agents do:

* It takes MCP servers over stdio and HTTP, images and embedded resources. It has no additional directories, no audio and no logout.
* It asks before it writes a file or runs a command, and not before it reads. It does all three itself, and shows the output.
* After a refused permission the model continues. A failed model ends the turn with error -32603 and the reason.
* The second of two prompts waits for the first. Of a subagent, only the tool call is shown.
* After a kill, the restored session lacks the interrupted turn. Without a key, \`session/new\` is refused with -32000.`;

function agentSection({ name, package: packageName, initialize, runs }) {
  const remark = catalog.find((agent) => agent.name === name)?.remark;
  const { agentInfo } = Object.values(initialize)[0];
  const called = agentInfo
    ? `It is ${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`
    : 'It has no name';
  const answers = Object.entries(runs).map(([version, run]) => {
    const answer = Object.values(initialize).find(
      ({ protocolVersion }) => String(protocolVersion) === version,
    );
    return { label: `version ${version}`, lines: [...featureLines(answer), ...runLines(run, allSteps)] };
  });
  return [`### ${name}`, `\`${packageName}\`${remark ? ` ${remark}` : ''}. ${called}.`, inRuns(answers)].join(
    '\n\n',
  );
}

function remoteText(name, { runs }) {
  const answers = Object.entries(runs).map(([transport, run]) => ({
    label: transport,
    lines: [...runLines(run, remoteSteps), ...list('diagnostics', run.rules.map(quoted), ', ')],
  }));
  return `\`${name} serve\` was driven over streamable HTTP and over WebSocket, on loopback. The steps are a part of those above, and a wrong token, cut connections and a killed server. [How servers differ](remote-agents.md#how-servers-differ) says what follows for your program.

${inRuns(answers)}`;
}

/** The lines of all runs, each once. One that not all runs have names its run. */
function inRuns(answers) {
  const all = [...new Set(answers.flatMap(({ lines }) => lines))];
  return all
    .map((line) => {
      const having = answers.filter(({ lines }) => lines.includes(line));
      if (having.length === answers.length) return `- ${line}.`;
      return `- ${line} (${having.map(({ label }) => label).join(', ')}).`;
    })
    .join('\n');
}

const quoted = (name) => `\`${name}\``;

/** A line about a list, if there is something in it. */
const list = (begin, items, separator) => (items.length > 0 ? [`${begin}: ${items.join(separator)}`] : []);

function featureLines({ features }) {
  const more = offeredByFew.filter((feature) => features[feature]);
  const lacking = offeredByMost.filter((feature) => !features[feature]);
  return [
    ...list('also offers', more.map(quoted), ', '),
    ...list('does not offer', lacking.map(quoted), ', '),
  ];
}

function runLines({ steps, losses, breaches = [], faults, varyingHabits = [] }, all) {
  return [
    ...stepLines(steps, all),
    ...(steps.load?.outcome === 'works'
      ? [`replay: ${losses.join('; ') || 'the same conversation as the live session'}`]
      : []),
    ...list('**does not match the schema**', breaches, '; '),
    ...varyingHabits.map((habit) => `not on every run: ${habit}`),
    ...list('**faults of this library**', faults, '; '),
  ];
}

/** What is said of the steps. Steps of which the same is said have one line. */
function stepLines(steps, all) {
  const said = all.filter(({ id }) => {
    const { note } = steps[id] ?? {};
    return note && note !== usual[id] && !needless.test(note);
  });
  const unsaid = (outcome) =>
    all.filter((step) => steps[step.id]?.outcome === outcome && !said.includes(step));
  const notes = [...new Set(said.map(({ id }) => steps[id].note))];
  return [
    ...list(
      'also works',
      unsaid('works')
        .filter(({ id }) => rare.has(id))
        .map(nameOf),
      '; ',
    ),
    ...list(
      'not offered',
      unsaid('lacks')
        .filter(({ id }) => !rare.has(id))
        .map(nameOf),
      '; ',
    ),
    ...list('no', unsaid('differs').map(nameOf), '; '),
    ...list('refused', unsaid('refuses').map(nameOf), '; '),
    ...notes.map((note) => {
      const same = said.filter(({ id }) => steps[id].note === note);
      return `${namesOfMost(same, steps, all)}: ${note}`;
    }),
  ];
}

/** The names of steps of which the same is said; where they are most of them, the names of those that work. */
function namesOfMost(same, steps, all) {
  if (same.length < all.length / 4)
    return namesOf(same.filter(({ id }) => !same.some((step) => step.id === variants[id]?.of)));
  return `each step but ${namesOf(all.filter(({ id }) => steps[id]?.outcome === 'works'))}`;
}

const habitText = `What agents do that a client must handle. \`npx vitest run -t 'agents: late-replay'\` runs the test with that tag.`;

const settingsText = `Some agents need settings that others must not get. The editor selects them for the agent that the user chose.

| agent | what it needs | setting |
| --- | --- | --- |
| gemini | It creates files only if reading a missing file is no error. | \`nodeFileSystem({ roots, missingFile: 'empty' })\` |
| gemini | A load in the minute in which the session began empties its history. | none: load a session when it is a minute old. A crash in its first minute loses it, also with \`reconnect\` |
| gemini | It answers a load before it has sent the replay. A prompt that is sent at once mixes with the rest. | none: prompt when no update has arrived for half a second |
| qwen | It waits five seconds for a server of tools over HTTP, and 30 seconds over stdio. Then the model gets no tools. | \`toolServer({ transports: ['stdio'], … })\` |
| claude, codex, nanocoder | They edit files and run commands without asking. | \`newSession(params, { permissions: 'ask' })\` |
| opencode, kilo | They ask only where their configuration or a variable says so. | \`spawnAgent({ …, permissions: 'ask' })\` |
| pi | It never asks. The warning \`session.does_not_ask\` says so. | none |
| omp, grok | omp edits files without asking, and grok runs some commands. | none |`;
