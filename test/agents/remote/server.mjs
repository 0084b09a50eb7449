import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { spawn } from '../../support/spawn.mjs';
import { within } from '../scenario/waiting.mjs';

const startLimitMs = 60_000;

/**
 * Starts the agent's own server for clients on other machines.
 *
 * @param launch - What `agent.serve` returned.
 * @returns `{ url, kill() }`. `kill` ends it at once.
 */
export async function startServer({ launch, place }) {
  const { command, args, env, path, isReady } = launch;
  const child = spawn(command, args, {
    cwd: place.project.folder,
    env: { ...place.environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = [];
  let url;
  let isStarted = false;
  const announced = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The server did not start: ${lines.join('\n')}`)));
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        if (lines.length < 50) lines.push(line);
        url ??= /https?:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        isStarted ||= isReady(line);
        if (url && isStarted) resolve(`${url}${path}`);
      });
    }
  });
  const announcedUrl = await within(announced, startLimitMs);
  if (announcedUrl === 'late') throw new Error(`The server did not say its URL: ${lines.join('\n')}`);
  return {
    url: announcedUrl,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
