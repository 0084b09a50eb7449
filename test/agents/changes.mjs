import { readFileSync, writeFileSync } from 'node:fs';
import { cellDifferences, versionOnPage } from './page-comparison.mjs';

const file = new URL('changes.json', import.meta.url);

/**
 * What newer versions of the agents do in another way: `{ column, version, step, before, after }`, the latest ones last. The
 * suite adds to it when it writes the page with another version of an agent.
 */
export const readChanges = () => JSON.parse(readFileSync(file, 'utf8'));

export const writeChanges = (changes) => writeFileSync(file, `${JSON.stringify(changes, null, 2)}\n`);

/** The cells that differ from the page for an agent that has another version there. A step that is new is no change. */
export function changesSince(written, generated, reports) {
  return reports
    .filter(({ name, version }) => ![version, undefined].includes(versionOnPage(written, name)))
    .flatMap(({ name, version }) =>
      cellDifferences([name], written, generated)
        .filter(({ before, after }) => before !== undefined && after !== undefined)
        .map(({ column, step, before, after }) => ({ column, version, step, before, after })),
    );
}

export const changesHeading = 'What newer versions changed';

export const changesText = `The suite runs with the versions above. \`npm run suite -- agents --latest\` runs it with the newest versions on npm, and
prints what they do in another way. With \`--write\`, each difference becomes a row here.`;

export function changesTable(changes) {
  const rows = changes.map(({ column, version, step, before, after }) =>
    [column, `changed in ${version}`, step, before || 'not run', after || 'not run'].join(' | '),
  );
  const lines = ['| | version | step | before | now |', '| --- | --- | --- | --- | --- |'];
  return [...lines, ...rows.map((row) => `| ${row} |`)].join('\n');
}
