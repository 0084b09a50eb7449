import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { apiReports } from './api-report.ts';
import { entries, root } from './entries.ts';
import { schemaReport } from './schema-report.ts';

const folder = `${root}/docs/api`;
const files = Object.values(entries);
const isSchema = (file: string) => file.startsWith('schema-');

let reports: ReadonlyMap<string, string>;
beforeAll(async () => {
  reports = await apiReports(files.filter((file) => !isSchema(file)));
});

test.each(files)('the declarations of %s match the report', async (file) => {
  const report = isSchema(file) ? `# ${file}\n\n${schemaReport(file)}` : reports.get(file);
  const path = `${folder}/${file}.api.md`;
  if (process.env['UPDATE_API'] === '1') {
    await mkdir(folder, { recursive: true });
    await writeFile(path, report ?? '');
  }
  expect(report, `If this is as it should be: UPDATE_API=1 npx vitest run test/package/api.test.ts`).toBe(
    await readFile(path, 'utf8').catch(() => 'There is no report yet.'),
  );
});

test('each entry has a report', async () => {
  const reports = (await readdir(folder))
    .filter((name) => name.endsWith('.api.md'))
    .map((name) => basename(name, '.api.md'));
  expect(reports.sort()).toEqual([...files].sort());
});

test('no public type is any', async () => {
  const names = (await readdir(`${root}/dist`)).filter((name) => name.endsWith('.d.ts'));
  expect(names.length).toBeGreaterThan(files.length);
  for (const name of names) {
    const declarations = await readFile(`${root}/dist/${name}`, 'utf8');
    const code = declarations.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|"[^"\n]*"/g, '');
    expect(code.match(/.*\bany\b.*/g), name).toBeNull();
  }
});
