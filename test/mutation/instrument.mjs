import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The last version that runs on Node 20. */
const strykerVersion = '9.6.1';

/** Copies what git knows and what is new. Tests run examples of the documentation. The modules are those of the checkout. */
export function copyTree(root, tree) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const file of listed.split('\0')) {
    if (!/^(src|test|docs)\/|^[^/]+\.(json|ts)$/.test(file) || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file));
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction');
}

/** Installs the part of Stryker that changes sources, and returns it. */
export async function installInstrumenter(tools) {
  mkdirSync(join(tools, 'node_modules'), { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const name = '@stryker-mutator/instrumenter';
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', tools];
  execFileSync(npm, ['install', ...options, `${name}@${strykerVersion}`], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const require = createRequire(join(tools, 'node_modules', name, 'package.json'));
  const { Instrumenter } = await import(pathToFileURL(require.resolve(name)).href);
  const silent = { debug() {}, info() {}, warn() {}, error() {}, trace() {}, isDebugEnabled: () => false };
  return new Instrumenter(silent);
}

/** Writes all changes of some files into them, each behind a switch. Returns the changes, with lines that begin with 1. */
export async function instrument(instrumenter, tree, files) {
  const sources = files.map((name) => ({
    name,
    mutate: true,
    content: readFileSync(join(tree, name), 'utf8'),
  }));
  // Texts are for people; those that are not are checked by the compiler.
  const options = { ignorers: [], plugins: null, excludedMutations: ['StringLiteral'] };
  const { files: changed, mutants } = await instrumenter.instrument(sources, options);
  for (const { name, content } of changed) writeFileSync(join(tree, name), content);
  const contents = new Map(sources.map(({ name, content }) => [name, content]));
  const place = ({ line, column }) => ({ line: line + 1, column: column + 1 });
  return mutants
    .filter(({ status }) => status === undefined)
    .map(({ id, fileName, location, replacement }) => ({
      id,
      file: fileName,
      source: contents.get(fileName),
      location: { start: place(location.start), end: place(location.end) },
      replacement,
    }));
}
