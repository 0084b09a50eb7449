import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for the editor and its tools: outside of the project, and kept for the next run. */
export const cacheFolder =
  process.env.ACP_VSCODE_CACHE ??
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'acp-client-sdk-vscode');

/** The version of Node.js that code-server asks for. */
const nodeMajor = 24;
const nodeVersion = '24.21.0';
const isNodeThere = Number(process.versions.node.split('.')[0]) === nodeMajor;

// Install scripts are not run: they compile native modules, without which VS Code works.
const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** What is installed, in this order. A changed list is installed again. */
const parts = [
  ...(isNodeThere
    ? []
    : [{ label: 'node', packages: [`node-linux-${process.arch}@${nodeVersion}`], sizeMiB: 190 }]),
  {
    label: 'code-server',
    packages: ['code-server@4.139.1'],
    sizeMiB: 595,
    // The parts of VS Code, in the versions that code-server has locked.
    inside: 'node_modules/code-server/lib/vscode',
  },
  { label: 'tools', packages: ['@vscode/vsce@4.1.0', 'axe-core@4.14.1'], sizeMiB: 100 },
];

const file = (label, path) => join(cacheFolder, label, 'node_modules', path);
export const programs = {
  /** Runs code-server and vsce. */
  node: isNodeThere ? process.execPath : file('node', `node-linux-${process.arch}/bin/node`),
  codeServer: file('code-server', 'code-server/out/node/entry.js'),
  vsce: file('tools', '@vscode/vsce/vsce'),
  axe: file('tools', 'axe-core/axe.min.js'),
};

/**
 * Installs what is missing or damaged from the npm registry.
 *
 * @param options.say - Called with a line for each step.
 * @param options.signal - Aborts the installation. The next run starts it again.
 */
export async function installEditor({ say, signal }) {
  for (const part of parts) {
    const fault = await faultOf(part);
    if (fault === undefined) continue;
    const start = performance.now();
    say(`install  ${part.packages.join(' and ')} (${part.sizeMiB} MiB) into ${cacheFolder}: ${fault}`);
    await installPart(part, signal);
    say(`install  done in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
}

const recordFile = (label) => join(cacheFolder, label, 'installed.json');
/** What must be installed: a part is installed again if one of these differs. */
const wantedBy = ({ packages, inside }) => JSON.stringify({ packages, inside });

/** Why a part has to be installed; `undefined` if it is there and complete. */
async function faultOf(part) {
  const text = await readFile(recordFile(part.label), 'utf8').catch(() => undefined);
  if (text === undefined) return 'it is not there, or its installation was interrupted';
  const { wanted, contents } = readJson(text);
  if (wanted !== wantedBy(part)) return 'another version is wanted';
  const found = await contentsOf(join(cacheFolder, part.label, 'node_modules'));
  if (found !== contents) return `it is damaged: it had ${contents}, and has ${found}`;
  return undefined;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function installPart(part, signal) {
  const folder = join(cacheFolder, part.label);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await runNpm([...install, ...part.packages], folder, signal);
  if (part.inside) await runNpm([...install, '--omit=dev'], join(folder, part.inside), signal);
  const contents = await contentsOf(join(folder, 'node_modules'));
  // Written last, so that an interrupted installation starts again.
  await writeFile(recordFile(part.label), JSON.stringify({ wanted: wantedBy(part), contents }));
}

async function runNpm(args, cwd, signal) {
  const npm = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], signal });
  const [code] = await once(npm, 'close');
  if (code !== 0) throw new Error(`npm ${args.join(' ')} in ${cwd} exited with code ${code}.`);
}

/** How many files a folder has, and how long they are together. */
async function contentsOf(folder) {
  let files = 0;
  let bytes = 0;
  const visit = async (path) => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) await visit(child);
      else if (entry.isFile()) {
        files++;
        bytes += (await stat(child)).size;
      }
    }
  };
  await visit(folder);
  return `${files} files with ${bytes} bytes`;
}
