import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** For a program of Node with all that it imports. */
const forNode = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // CommonJS dependencies require modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'error',
} satisfies BuildOptions;

/** Bundles a program of a test. */
export async function bundleProgram(
  options: Pick<BuildOptions, 'entryPoints' | 'stdin' | 'external' | 'minifyWhitespace'> & {
    readonly outfile: string;
  },
): Promise<void> {
  await build({ ...forNode, ...options });
}

const bundles = new Map<string, Promise<string>>();

/** Bundles a program from the sources, once a test file. Resolves to its path. Its other packages are found from there. */
export function bundledOnce(
  name: string,
  options: Pick<BuildOptions, 'alias' | 'entryPoints' | 'minifyWhitespace' | 'packages'>,
): Promise<string> {
  const known = bundles.get(name) ?? bundle(name, options);
  bundles.set(name, known);
  return known;
}

async function bundle(name: string, options: BuildOptions): Promise<string> {
  const folder = `${root}node_modules/.cache/${name}`;
  await mkdir(folder, { recursive: true });
  const program = `${folder}/${name}.mjs`;
  const mine = `${folder}/${process.pid}.mjs`;
  await build({ ...forNode, ...options, outfile: mine });
  // Test files run side by side: moved into place, the program is never seen half written.
  await rename(mine, program);
  return program;
}

/** Bundles the demo agent. White space takes time to load: the tests start it hundreds of times. */
export const buildDemoAgent = () =>
  bundledOnce('demo-agent', { entryPoints: [`${root}src/programs/demo/index.ts`], minifyWhitespace: true });

let built: Promise<string> | undefined;

/**
 * Builds the package's programs and the entries they are tested with, once a test file. Resolves to the folder they are
 * in: `cli.js`, `demo-agent.js`, `node.js`, `index.js`. Unlike the package's own build, it bundles the dependencies and
 * removes white space: the tests start hundreds of these programs, which load in half the time.
 */
export function buildPackage(): Promise<string> {
  built ??= bundlePackage();
  return built;
}

async function bundlePackage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: {
      cli: `${root}src/programs/cli/index.ts`,
      'demo-agent': `${root}src/programs/demo/index.ts`,
      node: `${root}src/entries/node.ts`,
      index: `${root}src/entries/index.ts`,
    },
    outdir: root,
    write: false,
    splitting: true,
    minifyWhitespace: true,
    ...forNode,
  });
  const hash = createHash('sha256');
  for (const { path, hash: content } of outputFiles) hash.update(`${basename(path)} ${content}\n`);
  const folder = `${root}node_modules/.cache/test-build/${hash.digest('hex').slice(0, 16)}`;
  const mine = `${folder}.${process.pid}`;
  await mkdir(mine, { recursive: true });
  for (const { path, contents } of outputFiles) await writeFile(join(mine, basename(path)), contents);
  // Moved into place, as above.
  await rename(mine, folder).catch(() => rm(mine, { recursive: true }));
  return folder;
}
