import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labelOf } from './catalog.mjs';

/** The folder for installed agents: outside of the project, and kept for the next run. */
export const cacheFolder = process.env.ACP_AGENTS_CACHE ?? join(tmpdir(), 'acp-client-sdk-agents');

const nodeVersion = '22.23.3';
/** The Node.js program for agents that need a newer one than that of this process. */
export const runtime = {
  label: `node-${nodeVersion}`,
  packages: [`node-${process.platform}-${process.arch}@${nodeVersion}`],
  program: `node-${process.platform}-${process.arch}/bin/node`,
  sizeMiB: 185,
};

const runsAsItIs = (major) => Number(process.versions.node.split('.')[0]) >= major;

/** The path of a file in the package that is installed under `label`. */
export function installedPath(label, path) {
  return join(cacheFolder, label, 'node_modules', path);
}

/** The Node.js program for this major version: that of this process, if it is new enough. */
export function nodeProgram(major = 20) {
  return runsAsItIs(major) ? process.execPath : installedPath(runtime.label, runtime.program);
}

/**
 * Installs the agents that are missing from the npm registry. Install scripts are not run.
 *
 * @param options.say - Called with a line before each download.
 * @param options.signal - Aborts the installation. The next run starts it again.
 */
export async function install(agents, { say, signal }) {
  const needsRuntime = agents.some(({ nodeMajor = 20 }) => !runsAsItIs(nodeMajor));
  const wanted = [
    ...(needsRuntime ? [runtime] : []),
    ...agents
      .filter((agent) => agent.sizeMiB !== undefined)
      .map((agent) => ({
        label: labelOf(agent),
        packages: [agent.package, ...(agent.alsoInstalled ?? [])],
        sizeMiB: agent.sizeMiB,
        afterInstall: agent.afterInstall,
      })),
  ];
  const missing = [];
  for (const item of wanted) if (!(await isInstalled(item))) missing.push(item);
  if (missing.length === 0) return;
  const total = missing.reduce((sum, { sizeMiB }) => sum + sizeMiB, 0);
  say(`To be installed into ${cacheFolder}: about ${total} MiB in all.`);
  for (const item of missing) {
    say(`installing ${item.packages.join(' and ')}, about ${item.sizeMiB} MiB`);
    await installOne(item, signal);
  }
}

const doneFile = (label) => join(cacheFolder, label, 'installed');

/** What was installed, one package a line. */
const doneText = (packages) => `${packages.join('\n')}\n`;

async function isInstalled({ label, packages }) {
  return readFile(doneFile(label), 'utf8').then(
    (text) => text === doneText(packages),
    () => false,
  );
}

async function installOne({ label, packages, afterInstall }, signal) {
  const folder = join(cacheFolder, label);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  // Without warnings: they are about the Node.js of the installation, and some agents run with a newer one.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', ['install', ...flags, ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
    signal,
  });
  const [code] = await once(npm, 'close');
  if (code !== 0)
    throw new Error(`npm could not install ${packages.join(' and ')}: it exited with code ${code}.`);
  afterInstall?.((path) => installedPath(label, path));
  // Written last, so that an interrupted installation starts again.
  await writeFile(doneFile(label), doneText(packages));
}
