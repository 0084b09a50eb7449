import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { markName } from '../agents/place.mjs';
import { spawn } from '../support/spawn.mjs';
import { programs } from './install.mjs';
import { run } from './run.mjs';

/** Settings of the user that keep the pictures equal, and the machine idle. */
const userSettings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'chat.disableAIFeatures': true,
  'window.autoDetectColorScheme': false,
  'security.workspace.trust.enabled': false,
  // In a browser, VS Code saves a changed file by itself.
  'files.autoSave': 'off',
  'git.enabled': false,
  'workbench.editor.untitled.labelFormat': 'name',
  'remote.autoForwardPorts': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'terminal.integrated.enablePersistentSessions': false,
};

/**
 * Starts code-server on a free port of this machine, with folders of its own and these extensions.
 *
 * `setUser` and `setMachine` write the settings. VS Code reads them again at once.
 *
 * @param options.folder - For everything that it writes; also the mark of its processes.
 */
export async function startCodeServer({ folder, extensions, signal }) {
  const part = (name) => join(folder, name);
  const places = { user: part('user'), extensions: part('extensions'), home: part('home'), tmp: part('tmp') };
  for (const path of Object.values(places)) await mkdir(path, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: places.home,
    TMPDIR: places.tmp,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    // No host is asked for extensions.
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }),
    [markName]: folder,
  };
  const own = ['--user-data-dir', places.user, '--extensions-dir', places.extensions];
  const program = [programs.codeServer, ...own, '--config', part('config.yaml')];
  await writeFile(part('config.yaml'), 'auth: none\ncert: false\n');
  for (const extension of extensions) {
    await run(programs.node, [...program, '--install-extension', extension], { env, signal });
  }
  const writeSettings = async (name, settings) => {
    await mkdir(join(places.user, name), { recursive: true });
    await writeFile(join(places.user, name, 'settings.json'), JSON.stringify(settings, null, 2));
  };
  await writeSettings('User', userSettings);

  const flags = [
    '--auth',
    'none',
    '--bind-addr',
    '127.0.0.1:0',
    '--disable-telemetry',
    '--disable-update-check',
    // How long the extension host of a page that vanished waits for it, in seconds.
    '--reconnection-grace-time',
    '30',
  ];
  const server = spawn(programs.node, [...program, ...flags], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(server, 'exit');
  const lines = [];
  const url = await new Promise((resolve, reject) => {
    const read = (line) => {
      lines.push(line);
      const address = /listening on (http:\S+?)\/?$/.exec(line)?.[1];
      if (address) resolve(address);
    };
    for (const stream of [server.stdout, server.stderr]) createInterface(stream).on('line', read);
    ended.then(() => reject(new Error(`code-server ended:\n${lines.join('\n')}`)), reject);
  });
  return {
    url,
    folder,
    pid: server.pid,
    lines,
    tmp: places.tmp,
    setUser: (settings) => writeSettings('User', { ...userSettings, ...settings }),
    /** Removes what the extension keeps for all workspaces: transcripts, and the sessions of the demo agent. */
    forgetSessions: () =>
      rm(join(places.user, 'User/globalStorage/example.acp-agent-panel'), { recursive: true, force: true }),
    setMachine: (settings) => writeSettings('Machine', settings),
    async stop() {
      server.kill('SIGTERM');
      await ended;
    },
  };
}
