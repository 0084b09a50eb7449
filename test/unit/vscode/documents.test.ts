import { afterEach, describe, expect, test, vi } from 'vitest';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import type { VsCode } from '../../../src/ui/vscode/api.ts';
import { documentWriter, openDocument, shownText } from '../../../src/ui/vscode/documents.ts';
import { fileUri, ModelEvent, modelOf, uriOf } from '../../support/vscode-model.ts';

type Document = VsCode['workspace']['textDocuments'][number];

afterEach(() => void vi.useRealTimers());

/** An editor with one document, and the file below it. */
function editorWith({ encoding, ...start }: { encoding?: string; text: string; eol?: number }) {
  const changed = new ModelEvent<{ document: Document }>();
  const state = {
    text: start.text,
    /** `undefined`: there is no file. */
    disk: start.text as string | undefined,
    isDirty: false,
    /** What VS Code makes of a text that it saves. */
    formatted: (text: string) => text,
    canSave: true,
    onRead: () => {},
    onEdit: (): boolean => true,
    onWrite: (): unknown => undefined,
  };
  const edits: (readonly [start: number, end: number, text: string])[] = [];
  const document: Document = {
    uri: fileUri('/work/a.txt'),
    get isDirty() {
      return state.isDirty;
    },
    isClosed: false,
    get lineCount() {
      return state.text.split('\n').length;
    },
    eol: start.eol ?? 1,
    ...(encoding !== undefined && { encoding }),
    getText: () => state.text,
    positionAt: (character) => ({ line: 0, character }),
    save: async () => {
      if (!state.canSave || !state.isDirty) return false;
      state.text = state.formatted(state.text);
      state.disk = state.text;
      state.isDirty = false;
      return true;
    },
  };
  const model = modelOf({
    workspace: {
      textDocuments: [document],
      onDidChangeTextDocument: changed.event,
      fs: {
        stat: async () => ({ type: 1, size: 0 }),
        readFile: async () => {
          state.onRead();
          if (state.disk === undefined) throw new Error('no file');
          return new TextEncoder().encode(state.disk);
        },
        writeFile: async (_uri, bytes) => {
          state.disk = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
          state.onWrite();
        },
      },
      applyEdit: async (edit) => {
        if (!state.onEdit()) return false;
        // The edit is one of this model.
        const { from, to, text } = edit as Edit;
        edits.push([from, to, text]);
        state.text = state.text.slice(0, from) + text + state.text.slice(to);
        state.isDirty = true;
        return true;
      },
    },
  });
  class Range {
    readonly start: { readonly line: number };
    readonly characters: readonly [number, number];
    constructor(line: number, from: number, _endLine: number, to: number) {
      this.start = { line };
      this.characters = [from, to];
    }
  }
  class Edit {
    from = 0;
    to = 0;
    text = '';
    replace(_uri: unknown, range: object, text: string) {
      [this.from, this.to] = (range as Range).characters;
      this.text = text;
    }
  }
  const vscode: VsCode = { ...model, Range, WorkspaceEdit: Edit };
  const writer = documentWriter(vscode);
  const write = (content: string) => writer(document, content);
  return { vscode, document, state, edits, changed, write };
}

describe('a text that is written to an open document', () => {
  test('replaces what differs, and is saved', async () => {
    const { write, edits, state } = editorWith({ text: 'one\ntwo\nthree\n' });
    let writes = 0;
    state.onWrite = () => writes++;
    expect(await write('one\nTWO\nthree\n')).toBe(true);
    expect(edits).toEqual([[4, 7, 'TWO']]);
    expect(state).toMatchObject({ disk: 'one\nTWO\nthree\n', isDirty: false });
    expect(await write('one\nTWO\nthree\n')).toBe(true);
    expect([edits.length, writes]).toEqual([1, 0]);
  });

  test.each([undefined, 'utf8', 'utf8bom'])(
    'is left to VS Code while it has an older text than the file: %s',
    async (encoding) => {
      const { write, edits, state } = editorWith({ text: 'old', ...(encoding && { encoding }) });
      for (const disk of ['changed by another program', undefined]) {
        state.disk = disk;
        expect(await write('new')).toBe(false);
        expect(state).toMatchObject({ text: 'old', disk });
      }
      expect(edits).toEqual([]);
    },
  );

  test('is written over what the user typed, also if it happens while the file is read', async () => {
    for (const isEarly of [true, false]) {
      const { write, state } = editorWith({ text: 'old' });
      const type = () => Object.assign(state, { text: 'typed', isDirty: true });
      if (isEarly) type();
      else state.onRead = type;
      expect(await write('new')).toBe(true);
      expect(state).toMatchObject({ text: 'new', disk: 'new' });
    }
  });

  test('is not compared with a file of another encoding', async () => {
    const { write, state } = editorWith({ text: 'ü', encoding: 'windows1252' });
    state.disk = '\ufffd';
    expect(await write('ö')).toBe(true);
    expect(state.disk).toBe('ö');
  });

  test('that the encoding lacks is refused before anything changes', async () => {
    const { vscode, document, state, edits } = editorWith({ text: 'a', encoding: 'windows1252' });
    const workspace = {
      ...vscode.workspace,
      encode: async (text: string, { encoding }: { readonly encoding: string }) =>
        new TextEncoder().encode(encoding === 'windows1252' ? text.replaceAll('😀', '?') : text),
      decode: async (bytes: Uint8Array, { encoding }: { readonly encoding: string }) =>
        encoding === 'windows1252' ? new TextDecoder().decode(bytes) : '',
    };
    const write = documentWriter({ ...vscode, workspace });
    await expect(write(document, '😀')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('has the encoding windows1252, which lacks characters'),
    });
    expect([state.text, edits]).toEqual(['a', []]);
    expect(await write(document, 'ü')).toBe(true);
  });

  test('is tried five times while the user types, each time with what differs then', async () => {
    const { write, edits, state } = editorWith({ text: 'a' });
    let refusals = 4;
    let tries = 0;
    state.onEdit = () => {
      tries++;
      if (refusals-- <= 0) return true;
      state.text += 'x';
      state.isDirty = true;
      return false;
    };
    expect(await write('ab')).toBe(true);
    expect([tries, edits, state.disk]).toEqual([5, [[1, 5, 'b']], 'ab']);
    refusals = 5;
    tries = 0;
    await expect(write('c')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('did not accept the change of /work/a.txt'),
      data: { path: '/work/a.txt' },
    });
    expect(tries).toBe(5);
  });

  test('that cannot be saved is an error, and the next call is made', async () => {
    const { write, state } = editorWith({ text: 'a' });
    state.canSave = false;
    const [first, second] = [write('b'), write('c')];
    await expect(first).rejects.toThrow(RequestError);
    await expect(first).rejects.toMatchObject({ data: { path: '/work/a.txt' } });
    await expect(first).rejects.toThrow(/could not save \/work\/a\.txt.+unsaved/);
    await expect(second).rejects.toThrow(/could not save/);
    expect(state).toMatchObject({ text: 'c', disk: 'a' });
    state.canSave = true;
    expect(await write('d')).toBe(true);
    expect(state.disk).toBe('d');
  });

  test('waits for the call before it', async () => {
    const { write, document, state, edits } = editorWith({ text: 'a' });
    let isSaving = false;
    const save = document.save.bind(document);
    document.save = async () => {
      expect(isSaving).toBe(false);
      isSaving = true;
      await Promise.resolve();
      isSaving = false;
      return save();
    };
    expect(await Promise.all(['b', 'c', 'd'].map(write))).toEqual([true, true, true]);
    expect([edits.map(([, , text]) => text), state.disk]).toEqual([['b', 'c', 'd'], 'd']);
  });

  test.each([
    { text: 'a\r\nb', eol: 2, content: 'a\nc\rd\r\ne', saved: 'a\r\nc\r\nd\r\ne' },
    { text: 'a\nb', eol: 1, content: 'a\r\nc', saved: 'a\nc' },
    { text: 'a', eol: 1, content: 'a\r\nc\n', saved: 'a\r\nc\r\n' },
    { text: 'a', eol: 2, content: 'a\nc', saved: 'a\r\nc' },
    { text: 'a', eol: 1, content: 'a\nc', saved: 'a\nc' },
    { text: 'a', eol: 1, encoding: 'utf8bom', content: '\uFEFFb', saved: 'b' },
    { text: 'a', eol: 1, encoding: 'utf8', content: '\uFEFFb', saved: '\uFEFFb' },
    { text: 'a', eol: 1, encoding: 'utf8bom', content: 'b\uFEFF', saved: 'b\uFEFF' },
  ])('has the line ends and the mark of the document: %j', async ({ content, saved, ...start }) => {
    const { write, state } = editorWith(start);
    await write(content);
    expect(state.text).toBe(saved);
  });

  test.each([
    ['utf8', ''],
    ['utf8bom', '\uFEFF'],
  ])('is the file also where saving formats it, and VS Code reads it again: %s', async (encoding, mark) => {
    const { write, state, changed, document } = editorWith({ text: 'a', encoding });
    state.formatted = (text) => `${text};`;
    vi.useFakeTimers();
    let isOver = false;
    const written = write('b').finally(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(1);
    changed.fire({ document });
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(false);
    state.text = 'b';
    changed.fire({ document });
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
    expect(await written).toBe(true);
    expect([state.disk, changed.listeners.size, vi.getTimerCount()]).toEqual([`${mark}b`, 0, 0]);
  });

  test('is waited for a second where VS Code does not read the file again', async () => {
    vi.useFakeTimers();
    const { write, state, changed } = editorWith({ text: 'a' });
    state.formatted = (text) => `${text};`;
    const written = write('b');
    await vi.advanceTimersByTimeAsync(999);
    expect(changed.listeners.size).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await written).toBe(true);
    expect([state.disk, changed.listeners.size, vi.getTimerCount()]).toEqual(['b', 0, 0]);
  });

  test('is not written again below another encoding, or below what the user typed meanwhile', async () => {
    const latin = editorWith({ text: 'a', encoding: 'windows1252' });
    latin.state.formatted = (text) => `${text};`;
    expect(await latin.write('b')).toBe(true);
    expect(latin.state.disk).toBe('b;');
    const { write, state, document } = editorWith({ text: 'a' });
    const save = document.save.bind(document);
    document.save = async () => {
      await save();
      Object.assign(state, { text: 'bc', isDirty: true });
      return true;
    };
    expect(await write('b')).toBe(true);
    expect(state).toMatchObject({ text: 'bc', disk: 'b' });
  });
});

test.each([
  ['file:///work/a.txt', 'file:///work/a.txt', true],
  ['file:///work/A.txt', 'file:///work/a.txt', false],
  ['file:///c%3A/Work/a.txt', 'file:///C%3a/work/A.txt', true],
  ['file://server/Share/a.txt', 'file://server/share/a.txt', true],
  ['vscode-vfs://github/A', 'vscode-vfs://github/a', false],
  ['git:/?file://A', 'git:/?file://a', false],
])('the document of %s is that of %s: %s', (open, wanted, isFound) => {
  const { document } = editorWith({ text: '' });
  const found = { ...document, uri: uriOf(open) };
  // VS Code keeps closed documents for a while.
  const closed = { ...found, isClosed: true };
  const vscode = modelOf({ workspace: { textDocuments: [closed, found] } });
  expect(openDocument(vscode, uriOf(wanted))).toBe(isFound ? found : undefined);
});

test.each([
  [undefined, undefined],
  ['utf8', undefined],
  ['utf8bom', undefined],
  ['utf16le', 'text'],
])('a document without unsaved changes in the encoding %s shows %s', (encoding, shown) => {
  expect(shownText(editorWith({ text: 'text', ...(encoding && { encoding }) }).document)).toBe(shown);
});
