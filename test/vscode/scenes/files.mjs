import assert from 'node:assert/strict';
import { until } from '../until.mjs';

const lineEnds = { lf: '\n', crlf: '\r\n' };

/** What the user did with a file before the agent writes it. `opens`: it is in an editor. `types`: it is not saved. */
const states = {
  closed: { opens: false, types: false },
  open: { opens: true, types: false },
  dirty: { opens: true, types: true },
};

/** After the agent has written a file: the disk, the editor and the agent's next read agree. */
export const files = {
  name: 'files with and without unsaved changes',
  async play(stage) {
    await stage.agent('files.mjs');
    for (const state of Object.keys(states)) {
      for (const [name, end] of Object.entries(lineEnds)) {
        await stage.write(`${state}-${name}.txt`, `on disk${end}second${end}`);
      }
    }
    const workbench = await stage.open({ settings: { 'workbench.editor.enablePreview': false } });
    const { panel, page } = workbench;
    await workbench.openPanel();
    for (const [state, { opens, types }] of Object.entries(states)) {
      for (const [name, end] of Object.entries(lineEnds)) {
        const file = `${state}-${name}.txt`;
        const users = `${types ? 'UNSAVED ' : ''}on disk${end}second${end}`;
        if (opens) await workbench.openFile(file);
        if (types) {
          await workbench.editor.click();
          await page.keyboard.press('Control+Home');
          await page.keyboard.type('UNSAVED ');
          await until(`${file} has unsaved changes`, () => workbench.isDirty(file));
        }
        await panel.ask(`read ${file}`);
        await panel.shows(`${JSON.stringify(users)} after read ${file}`);
        await panel.idle();

        const written = `AGENT WROTE${end}${file}${end}`;
        await panel.ask(`write ${file} ${JSON.stringify(written)}`);
        await panel.shows(`${JSON.stringify(written)} after write ${file}`);
        await panel.idle();
        assert.equal(await stage.read(file), written, `${file} on the disk`);
        if (!opens) continue;
        const inEditor = (text) => text.split(end).join('\n');
        await until(`${file} in the editor`, workbench.editorText, (text) => text === inEditor(written));
        await until(`${file} is saved`, async () => !(await workbench.isDirty(file)));
        if (state === 'dirty') await stage.shoot(`file ${state} ${name}`);
        await workbench.editor.click();
        await page.keyboard.press('Control+Z');
        await until(`undo in ${file}`, workbench.editorText, (text) => text === inEditor(users));
        assert.equal(await workbench.isDirty(file), true, `${file} has changes again after undo`);
        await workbench.command('File: Revert File');
        await until(`${file} is saved`, async () => !(await workbench.isDirty(file)));
      }
    }
  },
};

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
