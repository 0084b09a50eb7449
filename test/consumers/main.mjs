// Bundles the packed package with each bundler, and runs a turn with the result: node test/consumers/main.mjs [NAME…]
// Installs the bundlers from npm into a temporary folder. Needs dist/.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'acp-consumers-'));
const limitMs = 600_000;

/** Runs a program in the folder. Throws with its output if it fails. */
function run(command, args, options = {}) {
  const settings = { cwd: folder, encoding: 'utf8', timeout: limitMs, ...options };
  const { status, stdout, stderr, error } = spawnSync(command, args, settings);
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

const bin = (name) => join(folder, 'node_modules/.bin', process.platform === 'win32' ? `${name}.cmd` : name);
/** Runs the program of a package with arguments that have no spaces. */
function tool(command) {
  const [name, ...args] = command.split(' ');
  run(bin(name), args, { shell: process.platform === 'win32' });
}

const rollupConfig = (format) => `
  import commonjs from '@rollup/plugin-commonjs';
  import { nodeResolve } from '@rollup/plugin-node-resolve';
  export default {
    input: 'client.mjs',
    output: { file: 'out/bundle.${format === 'es' ? 'mjs' : 'cjs'}', format: '${format}', inlineDynamicImports: true },
    external: /^node:/,
    plugins: [nodeResolve({ exportConditions: ['node'] }), commonjs()],
  };
`;
const webpackConfig = `
  export default {
    mode: 'production',
    target: 'node20',
    entry: './client.mjs',
    output: { path: process.cwd() + '/out', filename: 'bundle.cjs' },
  };
`;
// Node runs the bundle of a page too, and has no document in which it could load a chunk earlier.
const viteConfig = (entry, more) => `
  export default {
    logLevel: 'error',
    ${more}
    build: { outDir: 'out', ssr: ${entry === 'client' ? "'client.mjs'" : 'false'}, target: 'es2022', modulePreload: false,
      rollupOptions: { input: '${entry}.mjs', output: { entryFileNames: 'bundle.mjs' } } },
  };
`;

const esbuild = 'esbuild client.mjs --bundle --platform=node';

/** The command that bundles the program, the bundle, the file `config.mjs` if there is one, and the runtime if it is not Node. */
const consumers = {
  'esbuild (ES module)': [`${esbuild} --format=esm --outfile=out/bundle.mjs`, 'bundle.mjs'],
  'esbuild (CommonJS)': [`${esbuild} --format=cjs --outfile=out/bundle.cjs`, 'bundle.cjs'],
  'rollup (ES module)': ['rollup --silent --config config.mjs', 'bundle.mjs', rollupConfig('es')],
  'rollup (CommonJS)': ['rollup --silent --config config.mjs', 'bundle.cjs', rollupConfig('cjs')],
  webpack: ['webpack --config config.mjs', 'bundle.cjs', webpackConfig],
  'vite (a program)': [
    'vite build --config config.mjs',
    'bundle.mjs',
    viteConfig('client', 'ssr: { noExternal: true },'),
  ],
  'vite (a page)': ['vite build --config config.mjs', 'bundle.mjs', viteConfig('page-main', '')],
  Bun: ['bun build client.mjs --target=bun --outfile=out/bundle.mjs', 'bundle.mjs', '', 'bun'],
  Deno: [
    'deno bundle --quiet --platform=deno --output=out/bundle.mjs client.mjs',
    'bundle.mjs',
    '',
    'deno run --allow-all --quiet',
  ],
};

/** The program of a page, which has no other agent than those of `page.mjs`. */
const pageProgram = `import { converse, knock } from './page.mjs';\nconsole.log('end_turn', await converse(), await knock());\n`;

/** The packages that the bundlers are in. */
const tools = [
  'esbuild',
  'rollup',
  '@rollup/plugin-node-resolve',
  '@rollup/plugin-commonjs',
  'webpack',
  'webpack-cli',
  'vite',
  'bun',
  'deno',
];

function install() {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: root }),
  );
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'page-main.mjs'), pageProgram);
  const packages = [join(folder, packed.filename), ...tools];
  run('npm', ['install', '--no-audit', '--no-fund', ...packages]);
  for (const name of ['client.mjs', 'page.mjs']) {
    cpSync(join(import.meta.dirname, name), join(folder, name));
  }
}

const expected = /^end_turn Hello\? Hello\. connection\.closed$/m;
const demoAgent = join(folder, 'node_modules/acp-client-sdk/dist/demo-agent.js');

/** Bundles the program, and runs the bundle. */
function check([command, bundle, config, runtime]) {
  rmSync(join(folder, 'out'), { recursive: true, force: true });
  if (config) writeFileSync(join(folder, 'config.mjs'), config);
  tool(command);
  const [name, ...args] = runtime?.split(' ') ?? [];
  const program = name === undefined ? process.execPath : bin(name);
  const env = { ...process.env, DEMO_AGENT: demoAgent };
  const printed = run(program, [...args, `out/${bundle}`], { env });
  if (!expected.test(printed)) throw new Error(`The program printed ${JSON.stringify(printed)}.`);
}

const names = process.argv.slice(2);
let failures = 0;
try {
  install();
  for (const [name, consumer] of Object.entries(consumers)) {
    if (names.length > 0 && !names.some((part) => name.startsWith(part))) continue;
    try {
      check(consumer);
      console.log(`${name}: a turn ended`);
    } catch (error) {
      failures++;
      console.log(`${name}: failed\n${error.message}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
