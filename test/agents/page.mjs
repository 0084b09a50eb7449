import { readFileSync } from 'node:fs';
import { catalog } from './catalog.mjs';
import { runtime } from './install.mjs';
import { table } from './result-tables.mjs';
import { allSteps, mainSteps, remoteSteps } from './scenario/steps.mjs';

/** The page with the names of what the reports say, in braces. */
const template = new URL('page.md', import.meta.url);

/** The page about the agents, from their reports: what works, what each agent does in another way, habits, settings. */
export function agentsPage(reports) {
  const others = allSteps.filter(({ id }) => !rare.has(id) && !mainSteps.has(id));
  const parts = {
    platforms: [...new Set(reports.map(({ platform }) => platform))].join(', '),
    count: reports.length - 1,
    size: totalGiB(),
    'main steps': mainTable(reports),
    'other steps': namesOf(others),
    'rare steps': namesOf(allSteps.filter(({ id }) => rare.has(id))),
    'not logged in': answered(reports, 'no'),
    'login unknown': answered(reports, 'unknown'),
    network: reports.flatMap(({ name, remote }) => (remote ? remoteText(name, remote) : [])).join('\n\n'),
    agents: reports.map(agentSection).join('\n\n'),
  };
  return readFileSync(template, 'utf8').replace(/\{\{(.+?)\}\}/g, (_, name) => parts[name]);
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

/** What a user must know first: which agents do it, in part, and not. */
function mainTable(reports) {
  const runs = reports.flatMap(({ name, runs: own }) =>
    Object.entries(own).map(([version, { steps }]) => ({
      name: version === '1' ? name : `${name} v${version}`,
      steps,
    })),
  );
  const rows = [...mainSteps].map((id) => {
    const { title } = allSteps.find((step) => step.id === id);
    const agentsWith = (...outcomes) =>
      runs.filter(({ steps }) => outcomes.includes(steps[id]?.outcome)).map(({ name }) => name);
    return [title, agentsWith('works', 'varies'), agentsWith('partly'), agentsWith('differs', 'lacks')];
  });
  return table(
    ['', 'yes', 'in part', 'no'],
    rows.map(([title, ...cells]) => [title, ...cells.map((names) => names.join(', ') || '–')]),
  );
}

/** The agents of whose login the doctor says this. */
function answered(reports, login) {
  const checked = reports.flatMap(({ doctor }) => (doctor?.check ? [doctor] : []));
  return checked.flatMap(({ name, check }) => (check.login === login ? [name] : [])).join(', ');
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
