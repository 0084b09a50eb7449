import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/node/files/file-system.ts';
import { isWindows } from '../process/node/processes.ts';
import { runs } from '../support/runs.ts';
import { sharedFolder } from '../support/temporary-folder.ts';

const root = sharedFolder('acp editor ');

/** Files, and links to them. Links need a privilege on Windows. */
const names = [
  'a.txt',
  'folder/b.txt',
  'new/c.txt',
  ...(isWindows ? [] : ['link.txt', 'again.txt', 'linked/b.txt', 'linked/new.txt']),
];

interface Document {
  text: string;
  isDirty: boolean;
  /** The file on disk when it was last read or written. A save is refused if another program changed it since. */
  saved: string;
}

/** An editor with documents of real files. */
class Editor {
  readonly documents = new Map<string, Document>();

  async open(path: string): Promise<void> {
    if (this.documents.has(path)) return;
    const text = await readFile(path, 'utf8').catch(() => '');
    this.documents.set(path, { text, isDirty: false, saved: text });
  }

  type(path: string, text: string): void {
    const document = this.documents.get(path);
    if (document) Object.assign(document, { text, isDirty: true });
  }

  close(path: string): void {
    this.documents.delete(path);
  }

  readonly openBuffer = (path: string) => {
    const document = this.documents.get(path);
    return document?.isDirty ? document.text : undefined;
  };

  readonly writeBuffer = async (path: string, content: string) => {
    const document = this.documents.get(path);
    if (!document) return false;
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    Object.assign(document, { text: content, isDirty: false, saved: content });
    return true;
  };
}

const name = fc.constantFrom(...names);
const text = fc.constantFrom('', 'one\n', 'one\r\ntwo', 'ü 😀\n', '\uFEFFmark\n');
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('open' as const, 'close' as const), name, text: fc.constant('') }),
  fc.record({ do: fc.constantFrom('type' as const, 'write' as const), name, text }),
);

test('after a write, a read returns what was written, whatever the editor shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      await rm(root, { recursive: true });
      await mkdir(join(root, 'folder'), { recursive: true });
      await writeFile(join(root, 'a.txt'), 'on disk\n');
      await writeFile(join(root, 'folder', 'b.txt'), 'on disk\r\n');
      if (!isWindows) {
        await symlink('a.txt', join(root, 'link.txt'));
        await symlink('link.txt', join(root, 'again.txt'));
        await symlink('folder', join(root, 'linked'));
      }
      const editor = new Editor();
      const { openBuffer, writeBuffer } = editor;
      const files = nodeFileSystem({ roots: [root], openBuffer, writeBuffer });
      for (const action of steps) {
        const path = join(root, action.name);
        if (action.do === 'open') await editor.open(path);
        else if (action.do === 'close') editor.close(path);
        else if (action.do === 'type') editor.type(path, action.text);
        else {
          await files.writeTextFile({ path, content: action.text });
          expect(await files.readTextFile({ path })).toEqual({ content: action.text });
          expect(await readFile(path, 'utf8')).toBe(action.text);
          for (const name of new Set([path, await realpath(path)])) {
            const shown = editor.documents.get(name);
            if (shown) expect(shown).toEqual({ text: action.text, isDirty: false, saved: action.text });
          }
        }
      }
    }),
    { numRuns: runs(60) },
  );
});
