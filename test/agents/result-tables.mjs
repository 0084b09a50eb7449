import { diffLines } from 'diff';
import { habits } from './habit-list.mjs';
import { allSteps, remoteSteps } from './scenario/steps.mjs';

/** The headings of the tables. */
const headings = {
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
  Object.keys(habits).map((name) => [
    `\`${name}\``,
    ...columns.map(({ run }) => (run.habits.includes(name) ? 'yes' : '')),
  ]),
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

/**
 * Compares the page and the tables of results with the results of some of their agents.
 *
 * @param written - The page of the repository, and the tables after it.
 * @param generated - The same from the reports of these agents only.
 * @param names - The agents that were run.
 * @returns A line for each difference in the sections of the agents and in their columns of the tables.
 */
export function pageDifferences(written, generated, names) {
  const [present, missing] = [true, false].map((isPresent) =>
    names.filter((name) => (sectionOf(written, name) !== '') === isPresent),
  );
  return [
    ...missing.map((name) => `${name} is not on the page`),
    ...present.flatMap((name) => sectionDifferences(name, written, generated)),
    ...Object.values(headings).flatMap((heading) => columnDifferences(heading, present, written, generated)),
  ];
}

function sectionDifferences(name, written, generated) {
  const [before, after] = [written, generated].map((page) => sectionOf(page, name));
  return diffLines(before, after)
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => `${name}: ${added ? 'the run gives' : 'the page has'}: ${line}`),
    );
}

/** The text below the heading of an agent; empty if the page has none. */
function sectionOf(page, name) {
  const start = page.indexOf(`\n### ${name}\n`);
  if (start === -1) return '';
  const end = page.slice(start + 1).search(/\n##/);
  return page.slice(start, end === -1 ? undefined : start + 1 + end);
}

/** The first table below a heading. */
function tableBelow(page, heading) {
  const start = page.indexOf(`\n## ${heading}\n`);
  if (start === -1) return { heads: [], rows: [] };
  const lines = page.slice(start + 1).split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(begin).findIndex((line) => !line.startsWith('|'));
  const cells = (line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [heads, , ...rows] = lines.slice(begin, begin + length).map(cells);
  return { heads, rows };
}

/** Of `codex v2`, or of `qwen, HTTP`. */
const agentOf = (column) => column.replace(/ v\d$|, \w+$/, '');

/** The cells of a table that differ, in the columns of these agents. */
function columnDifferences(heading, names, written, generated) {
  const [before, after] = [written, generated].map((page) => {
    const { heads, rows } = tableBelow(page, heading);
    return new Map(
      rows.flatMap(([step, ...cells]) => cells.map((cell, index) => [`${heads[index + 1]}: ${step}`, cell])),
    );
  });
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => names.includes(agentOf(key.split(':')[0])) && before.get(key) !== after.get(key))
    .map((key) => {
      const [then, now] = [before, after].map((cells) => cells.get(key) ?? 'nothing');
      return `${key}: the page has "${then}", the run gives "${now}"`;
    });
}

/** The version of an agent that the page is about; `undefined` if it is not on the page. */
export function versionOnPage(page, name) {
  const [, version] = /^`[^`]+@([^@`]+)`/m.exec(sectionOf(page, name)) ?? [];
  return version;
}
