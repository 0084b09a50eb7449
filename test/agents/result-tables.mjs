import { habits } from './habit-list.mjs';
import { allSteps, remoteSteps } from './scenario/steps.mjs';

/** The headings of the tables. */
export const headings = {
  steps: 'Steps',
  remote: 'Steps over the network',
  doctor: 'The doctor',
  habits: 'Habits that were seen',
};

const marks = {
  works: 'yes',
  partly: 'in part',
  lacks: '–',
  refuses: 'refused',
  differs: 'no',
  varies: 'varies',
  fault: '**fault**',
};

/** All results as tables: what tests and the next run of the suite read, and what the site shows below the page. */
export function resultTables(reports) {
  const columns = reports.flatMap((report) =>
    Object.entries(report.runs).map(([version, run]) => ({ name: `${report.name} v${version}`, run })),
  );
  const remote = reports.flatMap(({ name, remote: result }) =>
    Object.entries(result?.runs ?? {}).map(([transport, run]) => ({ name: `${name}, ${transport}`, run })),
  );
  const checked = reports.flatMap(({ doctor }) => (doctor?.check ? [doctor] : []));
  const namesOf = (all) => all.map(({ name }) => name);
  return `# All results

The agents suite writes this file. \`–\`: the agent does not offer it. \`refused\`: it answered with an error. \`no\`: it does something else. An empty cell: the agent opens no session. Rows about tools also have the way that was used.

## ${headings.steps}

${table(['', ...namesOf(columns)], [...stepRows(allSteps, columns), linkRow(columns)])}

## ${headings.remote}

${table(['', ...namesOf(remote)], stepRows(remoteSteps, remote))}

## ${headings.doctor}

${table(['', ...namesOf(checked)], doctorRows(checked))}

## ${headings.habits}

${table(
  ['', ...namesOf(columns)],
  habits.map(({ id }) => [`\`${id}\``, ...columns.map(({ run }) => (run.habits.includes(id) ? 'yes' : ''))]),
)}
`;
}

function stepRows(steps, columns) {
  return steps.map(({ id, title }) => [title, ...columns.map(({ run }) => cellOf(run.steps[id]))]);
}

function cellOf(step) {
  const mark = marks[step?.outcome] ?? '';
  return ['works', 'varies'].includes(step?.outcome) && step.way ? `${mark}, ${step.way}` : mark;
}

/** The row that says how an agent names the tool call of the transcript. */
function linkRow(columns) {
  const cells = columns.map(({ run }) => {
    const { outcome, linked } = run.steps.tools ?? {};
    if (linked !== undefined) return `\`${linked}\``;
    return outcome === 'works' || outcome === 'varies' ? '–' : '';
  });
  return ['its call is named in `_meta` by', ...cells];
}

const maxLength = 140;

function doctorRows(checked) {
  const row = (title, cellOf) => [title, ...checked.map(({ check }) => cellOf(check))];
  return [
    row('version', ({ version }) => version ?? '–'),
    row('protocol', ({ protocolVersions }) => protocolVersions.join(', ')),
    row('login', ({ login }) => login),
    row('session', ({ session }) => session),
    row('because', ({ loginReason }) => inTable(loginReason)),
  ];
}

/** A text of an agent in a cell, without the port of the mock model. */
function inTable(text) {
  const shown = text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1').replaceAll('|', '\\|');
  return shown.length > maxLength ? `${shown.slice(0, maxLength).trimEnd()}…` : shown;
}

export function table(heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
