import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { pathMap } from '../../../src/core/protocol/shared-directories.ts';

/** Windows and WSL: a folder of a drive, and all else of the distribution. */
const wsl = pathMap([
  { editor: 'C:\\work', agent: '/mnt/c/work' },
  { editor: '\\\\wsl$\\Ubuntu', agent: '/' },
]);
/** A container, or another host. */
const container = pathMap([
  { editor: '/home/me/app', agent: '/workspace' },
  { editor: '/home/me/app/data', agent: '/data' },
]);

describe('a path that has one form on each side', () => {
  test.each([
    ['C:\\work', '/mnt/c/work', wsl],
    ['C:\\work\\', '/mnt/c/work/', wsl],
    ['C:\\work\\a b\\ä.ts', '/mnt/c/work/a b/ä.ts', wsl],
    ['\\\\wsl$\\Ubuntu\\home\\me\\a.ts', '/home/me/a.ts', wsl],
    ['\\\\wsl$\\Ubuntu\\', '/', wsl],
    ['\\\\wsl$\\Ubuntu\\mnt\\d\\x', '/mnt/d/x', wsl],
    ['/home/me/app', '/workspace', container],
    ['/home/me/app/src/', '/workspace/src/', container],
    ['/home/me/app/data/x', '/data/x', container],
    ['/home/me/app/database', '/workspace/database', container],
    ['/home/me/app/a\\b', '/workspace/a\\b', container],
    ['C:\\', '/mnt/c', pathMap([{ editor: 'C:\\', agent: '/mnt/c' }])],
    ['C:\\x', '/mnt/c/x', pathMap([{ editor: 'C:\\', agent: '/mnt/c' }])],
    ['/etc/hosts', '/host/etc/hosts', pathMap([{ editor: '/', agent: '/host' }])],
    ['/srv', '/', pathMap([{ editor: '/srv', agent: '/' }])],
    ['/home/me/x/y', 'D:\\me\\x\\y', pathMap([{ editor: '/home/me', agent: 'D:\\me' }])],
    ['\\\\server\\share\\me\\x', '/me/x', pathMap([{ editor: '\\\\server\\share\\me', agent: '/me' }])],
    ['C:\\work\\x', '/work/x', pathMap([{ editor: 'C:/work/', agent: '/work/' }])],
    ['/same/x', '/same/x', pathMap([{ editor: '/same', agent: '/same' }])],
  ])('%s is %s', (editor, agent, map) => {
    expect(map.toAgent(editor)).toBe(agent);
    expect(map.toEditor(agent)).toBe(editor);
  });
});

describe('another form of a path of the editor', () => {
  test.each([
    ['c:\\work\\x', '/mnt/c/work/x'],
    ['\\\\?\\C:\\work\\x', '/mnt/c/work/x'],
    ['\\\\?\\UNC\\wsl.localhost\\Ubuntu\\home\\u', '/home/u'],
    ['C:/work/x', '/mnt/c/work/x'],
    ['C:\\work/x\\y', '/mnt/c/work/x/y'],
    ['C:\\WORK\\X', '/mnt/c/work/X'],
    ['C:\\work\\\\x', '/mnt/c/work/x'],
    ['C:\\work\\.\\x\\..\\y', '/mnt/c/work/y'],
    ['C:\\other\\..\\work\\x', '/mnt/c/work/x'],
    ['\\\\WSL$\\ubuntu\\home\\Me', '/home/Me'],
    ['//wsl$/Ubuntu/home/me', '/home/me'],
    ['\\\\wsl$\\Ubuntu', '/'],
    ['\\\\wsl.localhost\\Ubuntu\\home\\Me', '/home/Me'],
    ['\\\\wsl.localhost\\Debian\\home', '\\\\wsl.localhost\\Debian\\home'],
    // The distribution has the drive below /mnt, where the other folder is.
    ['\\\\wsl$\\Ubuntu\\mnt\\c\\work\\x', '/mnt/c/work/x'],
  ])('%s is %s', (editor, agent) => {
    expect(wsl.toAgent(editor)).toBe(agent);
  });
});

describe('upper and lower case', () => {
  test('differ in a Linux distribution, and not in the names of the server and the distribution', () => {
    const map = pathMap([{ editor: '\\\\wsl.localhost\\Ubuntu\\home\\Me', agent: '/home/Me' }]);
    expect(map.toAgent('\\\\WSL.LOCALHOST\\UBUNTU\\home\\Me\\x')).toBe('/home/Me/x');
    expect(map.toAgent('\\\\wsl.localhost\\Ubuntu\\home\\me\\x')).toBe(
      '\\\\wsl.localhost\\Ubuntu\\home\\me\\x',
    );
  });

  test('do not differ on another share', () => {
    const map = pathMap([{ editor: '\\\\server\\share\\Me', agent: '/me' }]);
    expect(map.toAgent('\\\\SERVER\\Share\\me\\X')).toBe('/me/X');
  });

  test('differ in paths of other systems', () => {
    expect(container.toAgent('/home/me/App/x')).toBe('/home/me/App/x');
    expect(container.toEditor('/Workspace/x')).toBe('/Workspace/x');
  });
});

describe('the folder with the most names decides', () => {
  test('and not the beginning of a name', () => {
    expect(wsl.toEditor('/mnt/c/worker')).toBe('\\\\wsl$\\Ubuntu\\mnt\\c\\worker');
  });

  test('whatever the order of the folders', () => {
    const map = pathMap([
      { editor: '/a', agent: '/x' },
      { editor: '/a/b/c', agent: '/y' },
      { editor: '/a/b', agent: '/z' },
    ]);
    expect(['/a/1', '/a/b/1', '/a/b/c/1'].map(map.toAgent)).toEqual(['/x/1', '/z/1', '/y/1']);
  });
});

describe('is not changed:', () => {
  const map = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);

  test.each([
    '',
    'work',
    'C:',
    'C:work',
    'C:\\',
    'C:\\worker\\x',
    'D:\\work\\x',
    '/work/x',
    '\\\\server\\share\\work',
    '\\\\?\\Volume{1}\\work\\x',
    '\\\\.\\C:\\work\\x',
    'C:\\work\\..\\x',
    'C:\\work\\notes.txt:stream',
    'https://example.com/C:/work/x',
    'file:///D:/work/x',
    'file:///C:/worker/x',
    'file://server/work/x',
    'file:///C:/work/%zz',
    'file:///C:/work/a%2Fb',
    'file:///C:/work/a%5Cb',
    'file:///C:/work/../x',
    'file:///C:/work/%2E%2E/x',
    'file://[/x',
    'untitled:C:/work/x',
  ])('%s of the editor', (path) => {
    expect(map.toAgent(path)).toBe(path);
  });

  test.each([
    '',
    'mnt/c/work/x',
    './src/a.ts',
    '/mnt/c',
    '/mnt/c/',
    '/mnt/c/worker',
    '/mnt/C/work/x',
    '/mnt/c/work/../x',
    '/mnt/c/work/x/../../../d',
    '/../mnt/d',
    'C:\\work\\x',
    'file:///mnt/c/worker',
    'file:///mnt/c/work/../x',
    'file:///mnt/c/work/..\\x',
    'file:///mnt/c/work/.\t./x',
    'file:///mnt/c/work/%2e%2e/x',
    'file://server/mnt/c/work/x',
    'http://localhost/mnt/c/work/x',
  ])('%s of the agent', (path) => {
    expect(map.toEditor(path)).toBe(path);
  });
});

describe('no path of an agent leads out of the folder of the editor', () => {
  const map = pathMap([{ editor: 'C:\\work', agent: '/mnt/c/work' }]);

  test.each([
    '/mnt/c/work/..\\secret',
    '/mnt/c/work/x\\..\\..\\secret',
    '/mnt/c/work/.. /secret',
    '/mnt/c/work/... /secret',
    '/mnt/c/work/ /secret',
    '/mnt/c/work/notes.txt:stream',
    '/mnt/c/work/D:/secret',
    'file:///mnt/c/work/..%5Csecret',
    'file:///mnt/c/work/..%2fsecret',
    'file:///mnt/c/work/%2e%2e%20/secret',
  ])('%s has a name that Windows reads in another way, and is not changed', (path) => {
    expect(map.toEditor(path)).toBe(path);
  });

  test('a path through it that stays inside is resolved', () => {
    expect(map.toEditor('/mnt/c/work/x/../y')).toBe('C:\\work\\y');
    expect(map.toEditor('/mnt/c/work/../work/y')).toBe('C:\\work\\y');
    expect(map.toEditor('//mnt//c/./work//y')).toBe('C:\\work\\y');
  });

  test('a folder that is a root holds everything', () => {
    const root = pathMap([{ editor: 'C:\\jail', agent: '/' }]);
    expect(root.toEditor('/../../x')).toBe('C:\\jail\\x');
    expect(root.toEditor('file:///../../x')).toBe('file:///C:/jail/x');
  });
});

describe('a URI of a file', () => {
  test.each([
    ['file:///C:/work/a%20b.ts', 'file:///mnt/c/work/a%20b.ts', wsl],
    ['file:///C:/work/%C3%A4%2Bb.ts#L10', 'file:///mnt/c/work/%C3%A4%2Bb.ts#L10', wsl],
    ['file:///C:/work/x/?q#f', 'file:///mnt/c/work/x/?q#f', wsl],
    ['file://wsl$/Ubuntu/home/me', 'file:///home/me', wsl],
    ['file:///home/me/app/a%5Cb', 'file:///workspace/a%5Cb', container],
    [
      'file:///home/me/%C3%BC%20%231%3F/x',
      'file:///50%25/x',
      pathMap([{ editor: '/home/me/ü #1?', agent: '/50%' }]),
    ],
    [
      'file://server/share/me/x',
      'file:///me/x',
      pathMap([{ editor: '\\\\server\\share\\me', agent: '/me' }]),
    ],
  ])('%s is %s', (editor, agent, map) => {
    expect(map.toAgent(editor)).toBe(agent);
    expect(map.toEditor(agent)).toBe(editor);
  });

  test.each([
    ['file:///c%3A/work/a.ts', 'file:///mnt/c/work/a.ts'],
    ['file:///c%3a/Work/a.ts', 'file:///mnt/c/work/a.ts'],
    ['FILE:///C:/work/a.ts', 'file:///mnt/c/work/a.ts'],
    ['file://localhost/C:/work/a.ts', 'file:///mnt/c/work/a.ts'],
    ['file:/C:/work/a.ts', 'file:///mnt/c/work/a.ts'],
    ['file://wsl%24/Ubuntu/home', 'file:///home'],
    ['file:///C:/work/a b/ä', 'file:///mnt/c/work/a%20b/%C3%A4'],
    ['file:///C:/work/x/../y', 'file:///mnt/c/work/y'],
  ])('in another spelling: %s is %s', (editor, agent) => {
    expect(wsl.toAgent(editor)).toBe(agent);
  });

  test('with half a character in the name of a folder is encoded all the same', () => {
    const map = pathMap([{ editor: '/\ud800', agent: '/x' }]);
    expect(map.toEditor('file:///x/y')).toBe('file:///%EF%BF%BD/y');
    expect(map.toEditor('/x/y')).toBe('/\ud800/y');
  });
});

describe('pathMap refuses', () => {
  const refusal = (folders: unknown) => {
    try {
      pathMap(folders as never);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidParamsError);
      return (error as InvalidParamsError).message;
    }
    return undefined;
  };

  test.each([
    ['work', 'directories.0.editor must be an absolute path, such as "/work" or "C:\\\\work"; got "work"'],
    ['C:work', 'directories.0.editor must be an absolute path'],
    ['\\\\server', 'directories.0.editor must be an absolute path'],
    ['file:///work', 'directories.0.editor must be an absolute path'],
    ['', 'directories.0.editor must be an absolute path'],
    [7, 'directories.0.editor must be an absolute path'],
    [undefined, 'directories.0.editor'],
  ])('%j, which is no absolute path', (editor, message) => {
    expect(refusal([{ editor, agent: '/x' }])).toContain(message);
  });

  test.each([
    [{ editor: '/a', agent: '/b' }],
    [null],
    ['/a'],
    [[['/a', '/b']]],
    [[{ editor: '/a', agent: '/b', readOnly: true }]],
  ])('%j, which is no list of folders', (folders) => {
    expect(refusal(folders)).toMatch(/^pathMap: directories.*\. Nothing was mapped\.$/);
  });

  test.each([
    [
      'the editor',
      { editor: '/a/', agent: '/x' },
      { editor: '/b/../a', agent: '/y' },
      'pathMap: directories.0 and directories.1 have the same path for the editor, "/b/../a", so a path in it has two places for the agent. Nothing was mapped. Remove one of them.',
    ],
    [
      'the agent',
      { editor: '\\\\wsl$\\Ubuntu', agent: '/' },
      { editor: 'D:\\ubuntu', agent: '/' },
      'pathMap: directories.0 and directories.1 have the same path for the agent, "/", so a path in it has two places for the editor. Nothing was mapped. Remove one of them.',
    ],
    [
      'the editor, with two names of one server',
      { editor: '\\\\wsl$\\Ubuntu', agent: '/' },
      { editor: '\\\\wsl.localhost\\ubuntu', agent: '/mnt' },
      'have the same path for the editor',
    ],
    [
      'the editor on Windows, where case does not differ',
      { editor: 'C:\\Work', agent: '/x' },
      { editor: 'c:/work', agent: '/y' },
      'have the same path for the editor',
    ],
  ])('two folders with the same path for %s', (_, one, two, message) => {
    expect(refusal([one, two])).toContain(message);
  });

  test('what cannot be read', () => {
    const folder = {
      get editor(): string {
        throw new Error('no');
      },
      agent: '/x',
    };
    expect(refusal([folder])).toContain('cannot be read: no');
  });
});

test('a map without folders changes nothing', () => {
  const map = pathMap([]);
  expect(map.toAgent('/a')).toBe('/a');
  expect(map.toEditor('file:///a')).toBe('file:///a');
});

test('a list that is changed later does not change the map', () => {
  const folders = [{ editor: '/a', agent: '/b' }];
  const map = pathMap(folders);
  folders[0] = { editor: '/c', agent: '/d' };
  expect(map.toAgent('/a/x')).toBe('/b/x');
});
