// The panel of docs/examples/vscode in VS Code itself: node test/vscode/main.mjs [PART OF A NAME…]
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { endLeftovers, runningProcesses } from '../agents/leftovers.mjs';
import { chromiumOptions } from '../support/chromium.mjs';
import { startCodeServer } from './code-server.mjs';
import { cacheFolder, installEditor } from './install.mjs';
import { packExtension, packLibrary, root } from './pack.mjs';
import { descendantsOf } from './processes.mjs';
import { scenes } from './scenes.mjs';
import { createStage } from './stage.mjs';
import { themeNames } from './themes.mjs';
import { until } from './until.mjs';

const started = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const say = console.log;

if (process.platform !== 'linux') {
  console.error('These tests need Linux: they find processes in /proc.');
  process.exit(2);
}
const wanted = process.argv.slice(2);
const chosen = scenes.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (chosen.length === 0) {
  console.error(`No scene has such a name. There are: ${scenes.map(({ name }) => name).join('; ')}.`);
  process.exit(2);
}

// If it is interrupted, it first ends what it runs.
const interruption = new AbortController();
const { signal } = interruption;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interruption.abort());

const sceneLimitMs = 300_000;
const extensions = [
  { source: 'docs/examples/vscode' },
  // It is not published.
  { source: 'test/vscode/web-extension', flags: ['--allow-missing-repository', '--skip-license'] },
];
const shots = join(cacheFolder, 'screenshots');
const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-vscode-')));
// For the profiles of the browser, and the folders of npm.
const tmp = join(folder, 'tmp');
await mkdir(tmp);
process.env.TMPDIR = tmp;

let browser;
let server;
let failures = 0;
try {
  await installEditor({ say, signal });
  const packed = await pack();
  await rm(shots, { recursive: true, force: true });
  await mkdir(shots, { recursive: true });
  const start = performance.now();
  server = await startCodeServer({ folder, extensions: packed, signal });
  browser = await chromium.launch({
    ...chromiumOptions(),
    // Users have them, and a scene looks for them.
    ignoreDefaultArgs: ['--hide-scrollbars'],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  say(`start    code-server and Chromium run after ${seconds(start)}`);
  for (const [index, scene] of chosen.entries()) {
    signal.throwIfAborted();
    if (!(await play(scene, themeNames[index % themeNames.length]))) failures++;
  }
} catch (error) {
  failures++;
  say(signal.aborted ? 'Interrupted.' : error.stack);
} finally {
  failures += await end();
}
say(`\n${chosen.length} scenes, ${failures} failures, ${seconds(started)}. Screenshots: ${shots}`);
process.exitCode = failures === 0 ? 0 : 1;

/** Packs the library and the extensions. Resolves to the paths of the VSIX files. */
async function pack() {
  const packs = join(folder, 'packs');
  const tarball = await packLibrary(packs, signal);
  const files = [];
  for (const { source, flags } of extensions) {
    const start = performance.now();
    files.push(await packExtension({ source: join(root, source), flags, tarball, folder: packs, signal }));
    say(`pack     ${source} in ${seconds(start)}`);
  }
  return files;
}

/** Plays a scene, and prints how it went. Resolves to whether all was well. */
async function play(scene, theme) {
  const start = performance.now();
  const { name } = scene;
  const before = new Set(runningProcesses(folder).map(({ pid }) => pid));
  await server.setMachine({});
  await server.forgetSessions();
  const stage = await createStage({ name, browser, server, folder, shots, theme });
  try {
    await within(sceneLimitMs, scene.play(stage));
  } catch (error) {
    stage.faults.push(error.stack);
    const path = join(shots, `${name.replaceAll(/\W+/g, '-')}.failed.png`);
    // The page can be the reason.
    await stage.workbench?.page.screenshot({ path }).catch(() => {});
  }
  for (const [fault, files] of stage.barriers) stage.faults.push(`axe, in ${files.join(', ')}: ${fault}`);
  for (const [problem, count] of stage.workbench?.problems ?? []) {
    stage.faults.push(`console, ${count === 1 ? 'once' : `${count} times`}: ${problem}`);
  }
  try {
    await stage.workbench?.close();
    // The server starts some of its own processes late.
    const left = () =>
      runningProcesses(folder).filter(
        ({ pid, command }) => !before.has(pid) && !/--type=(?:ptyHost|fileWatcher)/.test(command),
      );
    await until('no process of the scene runs', left, ({ length }) => length === 0);
  } catch (error) {
    stage.faults.push(error.stack);
  }
  const seen = [...stage.themesSeen].join(', ') || theme;
  say(`${stage.faults.length === 0 ? 'ok      ' : 'FAILED  '} ${name} (${seen}) ${seconds(start)}`);
  for (const note of stage.notes) say(`         ${note}`);
  for (const fault of stage.faults) say(`         ${fault.replaceAll('\n', '\n         ')}`);
  return stage.faults.length === 0;
}

/** Rejects if the work takes longer, or if the run is interrupted. Closing the page ends the work then. */
async function within(limitMs, work) {
  let reject;
  const expiry = new Promise((_, rejectIt) => {
    reject = rejectIt;
  });
  const timer = setTimeout(() => reject(new Error(`It took longer than ${limitMs / 1000} s.`)), limitMs);
  const interrupt = () => reject(new Error('Interrupted.'));
  signal.addEventListener('abort', interrupt);
  try {
    await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    // What the work does after this has no reader.
    work.catch(() => {});
  }
}

/** Ends everything. Resolves to how much was left that should not have been. */
async function end() {
  const faults = [];
  await browser?.close();
  await server?.stop();
  try {
    await until(
      'no process is left',
      () => [...runningProcesses(folder), ...descendantsOf(process.pid)],
      ({ length }) => length === 0,
    );
  } catch (error) {
    faults.push(error.message);
    await endLeftovers(folder);
  }
  // VS Code keeps some files there; the extension and its agents must not.
  const files = (await readdir(tmp)).filter((name) => /acp|agent|terminal|playwright/i.test(name));
  if (files.length > 0) faults.push(`Temporary files are left: ${files.join(', ')}.`);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  say(`${faults.length === 0 ? 'ok      ' : 'FAILED  '} no process and no temporary file is left`);
  for (const fault of faults) say(`         ${fault}`);
  return faults.length;
}
