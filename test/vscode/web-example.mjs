import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { markName } from '../agents/place.mjs';
import { spawn } from '../support/spawn.mjs';
import { root } from './pack.mjs';
import { panelOf } from './panel.mjs';
import { run } from './run.mjs';
import { limitMs } from './until.mjs';

const example = join(root, 'docs/examples/web');
const vite = join(root, 'node_modules/vite/bin/vite.js');

/**
 * Opens docs/examples/web, built, in a browser without a past, with a bridge to an agent.
 *
 * @param options.folder - For what it writes; also the mark of its processes.
 * @param options.agent - The agent's command.
 * @param options.cwd - Where the agent works.
 */
export async function openWebExample({
  browser,
  folder,
  agent,
  cwd,
  viewport = { width: 1000, height: 800 },
}) {
  const outDir = join(await mkdtemp(join(folder, 'web-')), 'site');
  // NODE_ENV says whose build of React it is.
  const env = { ...process.env, NODE_ENV: 'production', [markName]: folder };
  await run(process.execPath, [vite, 'build', example, '--outDir', outDir, '--emptyOutDir'], { env });
  const programs = [
    start([join(example, 'bridge.mjs'), ...agent], { cwd, env: { ...env, PORT: '0' } }),
    start([vite, 'preview', example, '--outDir', outDir, '--host', '127.0.0.1', '--port', '0'], { env }),
  ];
  const stop = () => Promise.all(programs.map((program) => program.stop()));
  try {
    const [bridge, site] = await Promise.all([
      programs[0].firstMatch(/ws:\S+/),
      programs[1].firstMatch(/http:\S+?(?=\/?$)/),
    ]);
    const context = await browser.newContext({ viewport });
    context.setDefaultTimeout(limitMs);
    const page = await context.newPage();
    await page.goto(`${site}/?bridge=${bridge}`);
    const panel = panelOf(page, page);
    await panel.idle();
    return {
      page,
      panel,
      problems: new Map(),
      async close() {
        await context.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a program of Node. Its lines are read without colors. */
function start(args, options) {
  const child = spawn(process.execPath, args, {
    ...options,
    env: { ...options.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  return {
    /** Resolves to the first text of its lines that matches. */
    async firstMatch(pattern) {
      for await (const line of lines) {
        const found = pattern.exec(line.trim());
        if (found) {
          // Nothing more is read, and the program must not wait for it.
          child.stdout.resume();
          return found[0];
        }
      }
      throw new Error(`${args[0]} ended before it said where it listens.`);
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}
