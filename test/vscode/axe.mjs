import { readFile } from 'node:fs/promises';
import { programs } from './install.mjs';

/** What axe-core finds in a frame: a line for each element with a fault. */
export async function accessibilityFaults(frame) {
  const source = await readFile(programs.axe, 'utf8');
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(source);
  const { violations } = await frame.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }),
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      // Without the headline, and on one line.
      const reasons = failureSummary
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
      return `${id}: ${help}: ${target.join(' ')}: ${reasons.join('; ')}`;
    }),
  );
}
