import { diffLines } from 'diff';
import { headings } from './result-tables.mjs';

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
