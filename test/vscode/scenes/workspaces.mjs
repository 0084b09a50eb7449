import assert from 'node:assert/strict';
import { runningProcesses } from '../../agents/leftovers.mjs';
import { until } from '../until.mjs';

/** A workspace with two folders: the agent hears of both. */
export const multiRoot = {
  name: 'multi-root workspace',
  async play(stage) {
    const record = stage.path('calls.ndjson');
    await stage.agent('recorder.mjs', record);
    await stage.write('first/one.txt', 'one\n');
    await stage.write('second/two.txt', 'two\n');
    const folders = [{ path: 'first' }, { path: 'second' }];
    const file = await stage.write('both.code-workspace', JSON.stringify({ folders }));
    const { panel, ...workbench } = await stage.open({ query: `workspace=${file}` });
    await until('VS Code has opened both folders', () => opensFolder(workbench, 'second'));
    await workbench.openPanel();
    await panel.ask('Where are you?');
    await panel.shows('It is written down.');
    const calls = async () => {
      const text = (await stage.read('calls.ndjson')) ?? '';
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    const find = async () => (await calls()).find(({ method }) => method === 'session/new');
    const { params } = await until('a session was made', find);
    assert.equal(params.cwd, stage.path('first'));
    assert.deepEqual(params.additionalDirectories, [stage.path('second')]);
    await stage.shoot('multi-root');
  },
};

/**
 * Whether the Explorer shows a folder of the workspace. VS Code sometimes opens a workspace of two folders with none, and
 * says so in the Explorer. Then this loads the window again.
 */
async function opensFolder(workbench, name) {
  await workbench.show(/^Explorer/);
  const explorer = workbench.page.locator('.explorer-viewlet');
  const folder = explorer.getByRole('treeitem', { name });
  await folder
    .or(explorer.getByText(/You have not yet (?:added|opened) a folder/))
    .first()
    .waitFor();
  if (await folder.isVisible()) return true;
  await workbench.load();
  return false;
}

/** A workspace without a folder on a disk: no agent runs, and the panel says why. */
export const virtual = {
  name: 'virtual workspace',
  async play(stage) {
    const workbench = await stage.open({ query: 'folder=memory-files:/project' });
    await workbench.page.locator('.explorer-folders-view').getByText('read-me.md').first().waitFor();
    await workbench.show(/^Agent/);
    await workbench.panel.problem
      .getByText(/not on disk/)
      .first()
      .waitFor();
    assertNoAgent(stage);
    await stage.shootInEachTheme('virtual workspace');
  },
};

/** A folder that the user does not trust: no agent runs, and the panel says why. */
export const untrusted = {
  name: 'untrusted workspace',
  async play(stage) {
    const settings = {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    };
    const workbench = await stage.open({ settings });
    await workbench.show(/^Agent/);
    await workbench.panel.problem.getByText(/trust/).first().waitFor();
    assertNoAgent(stage);
    await workbench.panel.remedy('Manage trust').waitFor();
    assert.equal(await workbench.panel.remedy('Start again').count(), 0, 'a start would fail again');
    await stage.shootInEachTheme('untrusted workspace');
    await workbench.panel.remedy('Manage trust').click();
    await workbench.page.getByText(/^In a trusted (?:folder|window|workspace)$/i).waitFor();
  },
};

/** A window without a folder: nothing runs in the directory of the user, and the panel says how to go on. */
export const noFolder = {
  name: 'no folder open',
  async play(stage) {
    const record = stage.path('calls.ndjson');
    await stage.agent('recorder.mjs', record);
    const { panel, ...workbench } = await stage.open({ query: 'ew=true' });
    await workbench.show(/^Agent/);
    await panel.frame.getByRole('button', { name: 'Open folder', exact: true }).first().waitFor();
    const calls = (await stage.read('calls.ndjson')) ?? '';
    assert.doesNotMatch(calls, /session\/(?:new|load)/, 'no session was made without a folder');
    await stage.shootInEachTheme('no folder open');
  },
};

function assertNoAgent({ server }) {
  const running = runningProcesses(server.folder).filter(({ command }) => /demo-agent/.test(command));
  assert.deepEqual(running, []);
}
