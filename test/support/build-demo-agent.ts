import { mkdir, rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from './build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let built: Promise<string> | undefined;

/** Bundles the demo agent from its source, once a test file. Resolves to the path of the program. */
export function buildDemoAgent(): Promise<string> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<string> {
  const folder = `${root}node_modules/.cache/demo-agent`;
  await mkdir(folder, { recursive: true });
  const program = `${folder}/demo-agent.mjs`;
  const mine = `${folder}/${process.pid}.mjs`;
  await bundleProgram({
    entryPoints: [`${root}src/programs/demo/index.ts`],
    outfile: mine,
    // Loads faster. The tests start it hundreds of times.
    minifyWhitespace: true,
  });
  // Test files run side by side: moved into place, the program is never seen half written.
  await rename(mine, program);
  return program;
}
