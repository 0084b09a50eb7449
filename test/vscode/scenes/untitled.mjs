import assert from 'node:assert/strict';
import { until } from '../until.mjs';

/** A document that has no file yet does not stand for a file with the same name. */
export const untitled = {
  name: 'untitled document',
  async play(stage) {
    await stage.agent('files.mjs');
    const workbench = await stage.open();
    const { panel, page } = workbench;
    await workbench.openPanel();
    await workbench.command('File: New Untitled Text File');
    await workbench.tab('Untitled-1').waitFor();
    await workbench.editor.click();
    await page.keyboard.type('Mine alone');
    await until('it has changes', () => workbench.isDirty('Untitled-1'));
    await panel.ask('read Untitled-1');
    await panel.shows('after read Untitled-1');
    assert.doesNotMatch(await panel.text(), /Mine alone/, 'the document is not the file');
    await panel.idle();
    await panel.ask('write Untitled-1 "of the agent"');
    await panel.shows('"of the agent" after write Untitled-1');
    await panel.idle();
    assert.equal(await stage.read('Untitled-1'), 'of the agent');
    assert.equal(await workbench.editorText(), 'Mine alone');
    assert.equal(await workbench.isDirty('Untitled-1'), true);
    await stage.shoot('untitled');
  },
};
