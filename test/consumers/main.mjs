// Bundles the packed package with each bundler, and runs a turn with the result: node test/consumers/main.mjs [NAME…]
// Installs the bundlers from npm into a temporary folder. Needs dist/.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const tool = (name, args) => run(bin(name), args, { shell: process.platform === 'win32' });

const rollupConfig = (format) => `
  import commonjs from '@rollup/plugin-commonjs';
  import { nodeResolve } from '@rollup/plugin-node-resolve';
  export default {
    input: 'client.mjs',
    output: { file: 'out/rollup-${format}.${format === 'es' ? 'mjs' : 'cjs'}', format: '${format}', inlineDynamicImports: true },
    external: /^node:/,
    plugins: [nodeResolve({ exportConditions: ['node'] }), commonjs()],
  };
`;
const webpackConfig = `
  export default {
    mode: 'production',
    target: 'node20',
    entry: './client.mjs',
    output: { path: process.cwd() + '/out', filename: 'webpack.cjs' },
  };
`;
const viteConfig = (entry, more) => `
  export default {
    logLevel: 'error',
    ${more}
    build: { outDir: 'out/${entry}', ssr: ${entry === 'client' ? "'client.mjs'" : 'false'}, target: 'es2022',
      rollupOptions: { input: '${entry}.mjs', output: { entryFileNames: 'bundle.mjs' } } },
  };
`;

/** Bundles the program, and returns the command that runs the result. */
const consumers = {
  'esbuild (ES module)': () => {
    tool('esbuild', [
      'client.mjs',
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--outfile=out/esbuild.mjs',
    ]);
    return [process.execPath, 'out/esbuild.mjs'];
  },
  'esbuild (CommonJS)': () => {
    tool('esbuild', [
      'client.mjs',
      '--bundle',
      '--platform=node',
      '--format=cjs',
      '--outfile=out/esbuild.cjs',
    ]);
    return [process.execPath, 'out/esbuild.cjs'];
  },
  'rollup (ES module)': () => {
    writeFileSync(join(folder, 'rollup-es.config.mjs'), rollupConfig('es'));
    tool('rollup', ['--silent', '--config', 'rollup-es.config.mjs']);
    return [process.execPath, 'out/rollup-es.mjs'];
  },
  'rollup (CommonJS)': () => {
    writeFileSync(join(folder, 'rollup-cjs.config.mjs'), rollupConfig('cjs'));
    tool('rollup', ['--silent', '--config', 'rollup-cjs.config.mjs']);
    return [process.execPath, 'out/rollup-cjs.cjs'];
  },
  webpack: () => {
    writeFileSync(join(folder, 'webpack.config.mjs'), webpackConfig);
    tool('webpack', ['--config', 'webpack.config.mjs']);
    return [process.execPath, 'out/webpack.cjs'];
  },
  'vite (a program)': () => {
    writeFileSync(join(folder, 'vite-client.config.mjs'), viteConfig('client', 'ssr: { noExternal: true },'));
    tool('vite', ['build', '--config', 'vite-client.config.mjs']);
    return [process.execPath, 'out/client/bundle.mjs'];
  },
  'vite (a page)': () => {
    writeFileSync(join(folder, 'vite-page.config.mjs'), viteConfig('page-main', ''));
    tool('vite', ['build', '--config', 'vite-page.config.mjs']);
    return [process.execPath, 'out/page-main/bundle.mjs'];
  },
  Bun: () => {
    tool('bun', ['build', 'client.mjs', '--target=bun', '--outfile=out/bun.mjs']);
    return [bin('bun'), 'out/bun.mjs'];
  },
  Deno: () => {
    tool('deno', ['bundle', '--quiet', '--platform=deno', '--output=out/deno.mjs', 'client.mjs']);
    return [bin('deno'), 'run', '--allow-all', '--quiet', 'out/deno.mjs'];
  },
};

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
  const packages = [join(folder, packed.filename), ...tools];
  run('npm', ['install', '--no-audit', '--no-fund', ...packages]);
  for (const name of ['client.mjs', 'page.mjs', 'page-main.mjs']) {
    cpSync(join(import.meta.dirname, name), join(folder, name));
  }
  mkdirSync(join(folder, 'out'));
}

const expected = /^end_turn Hello\? Hello\. connection\.closed$/m;
const demoAgent = join(folder, 'node_modules/acp-client-sdk/dist/demo-agent.js');

function check(bundle) {
  const [command, ...args] = bundle();
  const printed = run(command, args, { env: { ...process.env, DEMO_AGENT: demoAgent } });
  if (!expected.test(printed)) throw new Error(`The program printed ${JSON.stringify(printed)}.`);
}

const names = process.argv.slice(2);
let failures = 0;
try {
  install();
  for (const [name, bundle] of Object.entries(consumers)) {
    if (names.length > 0 && !names.some((part) => name.startsWith(part))) continue;
    try {
      check(bundle);
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
