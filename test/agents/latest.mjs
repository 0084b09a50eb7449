import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { versionsVariable } from './catalog.mjs';

const run = promisify(execFile);

/**
 * Runs the suite with the newest versions of the agents that the page has in another version.
 *
 * @param agents - Those of the catalog that are asked for.
 * @param program - The program of the suite, and `args` its other options.
 * @returns The exit code.
 */
export async function runLatest(agents, program, args) {
  const versions = {};
  const changed = [];
  for (const agent of agents) {
    const newer = await newerPackages(agent);
    if (newer.length === 0) continue;
    for (const [name, version, newest] of newer)
      console.log(`${agent.name}: ${name} ${version} is on the page, ${newest} is the newest.`);
    const reason = await whyNotInstalled(newer);
    if (reason !== undefined) {
      console.log(`${agent.name}: it does not install, and is not run. ${reason}`);
      continue;
    }
    changed.push(agent.name);
    for (const [name, , newest] of newer) versions[name] = newest;
  }
  if (changed.length === 0) {
    console.log('The page has the newest version of each agent that npm installs.');
    return 0;
  }
  const env = { ...process.env, [versionsVariable]: JSON.stringify(versions) };
  const child = spawn(process.execPath, [program, ...args, ...changed], { stdio: 'inherit', env });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** The packages of an agent that have a newer version on npm: `[name, version, newest]`. */
async function newerPackages({ package: own, alsoInstalled = [], sizeMiB }) {
  // An agent without a size is part of this repository.
  if (sizeMiB === undefined) return [];
  const packages = [own, ...alsoInstalled].map((item) => {
    const at = item.lastIndexOf('@');
    return [item.slice(0, at), item.slice(at + 1)];
  });
  const all = await Promise.all(
    packages.map(async ([name, version]) => {
      const { stdout } = await run('npm', ['view', name, 'version'], { shell: process.platform === 'win32' });
      return [name, version, stdout.trim()];
    }),
  );
  return all.filter(([, version, newest]) => newest !== version);
}

/** What npm says if it cannot install packages; `undefined` if it can. */
async function whyNotInstalled(packages) {
  const folder = await mkdtemp(join(tmpdir(), 'acp-agents-latest-'));
  try {
    const wanted = packages.map(([name, , newest]) => `${name}@${newest}`);
    const flags = ['--dry-run', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...flags, ...wanted], { cwd: folder, shell: process.platform === 'win32' });
    return undefined;
  } catch ({ stderr }) {
    return stderr.split('\n').find((line) => /notarget|404/.test(line)) ?? stderr.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
