import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** The sections of a golden file: their names, and what is given, in lines that begin with `> `. */
export function goldenSections(file: URL): readonly (readonly [name: string, given: readonly string[]])[] {
  const sections = readFileSync(file, 'utf8').split(/^# /m).slice(1);
  return sections.map((section) => {
    const [name = '', ...lines] = section.split('\n');
    return [name, lines.filter((line) => line.startsWith('> '))];
  });
}

/** The sections of a golden file whose lines are JSON. */
export function goldenValues(file: URL): readonly (readonly [name: string, given: readonly never[]])[] {
  return goldenSections(file).map(([name, given]) => [
    name,
    given.map((line) => JSON.parse(line.slice(2)) as never),
  ]);
}

/** What is made of the lines that are given together, by the name of their section. */
export type Makers = Readonly<Record<string, (...given: never[]) => unknown>>;

/**
 * Compares what is made of the lines with `>` in a file with the lines with `=` below them. They have JSON, in which `x×3` is
 * `xxx`. A section begins with `#`. All other lines are for the reader.
 */
export async function expectGolden(file: URL, makers: Makers): Promise<void> {
  const told: string[] = [];
  const given: never[] = [];
  let make: Makers[string] | undefined;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('# ')) make = makers[line.slice(2)];
    if (line.startsWith('> ')) given.push(JSON.parse(repeated(line.slice(2))) as never);
    if (!line.startsWith('=')) told.push(line);
    else if (given.length > 0) {
      const made = [await make?.(...given.splice(0))].flat();
      told.push(...(made.length > 0 ? made : [undefined]).map((one) => `= ${shortened(one)}`));
    }
  }
  await expect(told.join('\n')).toMatchFileSnapshot(fileURLToPath(file));
}

const repeated = (text: string) =>
  text.replaceAll(/(.)×(\d+)/gu, (_, one: string, count) => one.repeat(count));

const shortened = (made: unknown) =>
  (JSON.stringify(made) ?? 'nothing').replaceAll(
    /(.)\1{19,}/gu,
    (run, one) => `${one}×${Array.from(run).length}`,
  );
