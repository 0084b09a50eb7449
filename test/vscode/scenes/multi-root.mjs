import assert from 'node:assert/strict';
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
