import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { markName } from '../agents/place.mjs';
import { spawn } from '../support/spawn.mjs';
import { root } from './pack.mjs';
import { panelOf } from './panel.mjs';
import { limitMs } from './until.mjs';

const example = join(root, 'docs/examples/web');

/**
 * Opens docs/examples/web in a browser without a past, with a server that runs an agent.
 *
 * @param options.folder - For what it writes; also the mark of its processes.
 * @param options.agent - The agent's command.
 * @param options.cwd - Where the agent works.
 */
export async function openWebExample({ browser, folder, agent, cwd }) {
  const env = { ...process.env, PORT: '0', [markName]: folder };
  const server = start([join(example, 'server.mjs'), ...agent], { cwd, env });
  const stop = () => server.stop();
  try {
    const url = await server.firstMatch(/http:\S+/);
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    context.setDefaultTimeout(limitMs);
    const page = await context.newPage();
    await page.goto(url);
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
