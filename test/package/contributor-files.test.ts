import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './entries.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));

test('the workflow tests each supported Node on each system', () => {
  const workflow = read('.github/workflows/test.yml');
  expect(workflow).toContain('os: [ubuntu-latest, macos-latest, windows-latest]');
  const versions = /node: \[([\d, ]+)\]/.exec(workflow)?.[1]?.split(', ').map(Number);
  expect(versions).toEqual([20, 22, 24]);
  expect(manifest.engines.node).toBe(`>=${versions?.[0]}`);
  expect(Number(read('.nvmrc'))).toBe(versions?.[0]);
  const scripts = [...workflow.matchAll(/run: npm (?:run )?(\S+)/g)].map(([, name]) => name);
  expect(scripts).toEqual(['ci', 'test', 'ci', 'test:vscode']);
  expect(manifest.scripts).toHaveProperty('test:vscode');
});

test('the gate and the workflow run the long tests after npm test, which does not', () => {
  expect(manifest.scripts.test).toMatch(/ && vitest run --project library --project package$/);
  const long = 'vitest run --project long*';
  expect(manifest.scripts['test:long']).toBe(`npm run build --silent && ${long}`);
  for (const path of ['.ci/run', '.github/workflows/test.yml'])
    expect(read(path), path).toMatch(new RegExp(`npm test\\n.*\\n.*npx ${long.replace('*', '\\*')}\\n`));
});

test('the workflow keeps the editor where the tests in VS Code install it, with the Node that it needs', () => {
  const workflow = read('.github/workflows/test.yml');
  const install = read('test/vscode/install.mjs');
  const [, folder] = /homedir\(\), '\.cache'\), '([\w-]+)'/.exec(install) ?? [];
  expect(folder).toBeDefined();
  expect(workflow).toContain(`path: ~/.cache/${folder}\n`);
  expect(workflow).toContain(`path: ~/.cache/${folder}/screenshots\n`);
  const [, major] = /nodeMajor = (\d+)/.exec(install) ?? [];
  expect(workflow).toContain(`node-version: ${major}\n`);
});

test('the workflow for dependencies runs commands that exist', () => {
  const workflow = read('.github/workflows/dependencies.yml');
  const scripts = [...workflow.matchAll(/run: npm run (\S+)/g)].map(([, name]) => name);
  expect(scripts).toEqual(['test:valibot', 'test:consumers']);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  expect(workflow).toContain(`node-version: ${read('.nvmrc').trim()}\n`);
});

test('the editor settings are those of the formatter', () => {
  const { formatter } = JSON.parse(read('.biome.json'));
  const settings = read('.editorconfig');
  expect(settings).toContain(`indent_style = ${formatter.indentStyle}\n`);
  expect(settings).toContain(`indent_size = ${formatter.indentWidth}\n`);
  expect(settings).toContain(`max_line_length = ${formatter.lineWidth}\n`);
});

const files = readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(?:md|yml)$/.test(name),
);

test.each(files)('what .github/%s refers to exists', (file) => {
  const text = read(`.github/${file}`);
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) =>
    join('.github', link),
  );
  const mentioned = [...text.matchAll(/(?<![/\w])(docs\/[\w-]+\.md)/g)].map(([, path = '']) => path);
  expect([...links, ...mentioned].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
