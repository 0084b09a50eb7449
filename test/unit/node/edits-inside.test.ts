import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PermissionOutcome } from '../../../src/core/client/requests/handlers.ts';
import { permissionRules } from '../../../src/core/client/requests/permission-rules.ts';
import { editsInside } from '../../../src/node/files/edits-inside.ts';
import { isWindows } from '../../process/node/processes.ts';
import { openSession } from '../../support/open-session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let base = '';
let src = '';

beforeEach(async () => {
  base = temporaryFolder('acp edits ');
  src = join(base, 'src');
  for (const name of ['src', 'src-private', 'other']) {
    await mkdir(join(base, name));
    await writeFile(join(base, name, 'file.ts'), '');
  }
});

const options = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
];

/** What the rule answers to an agent of version 1 that asks about a tool call. */
async function answerTo(
  toolCall: Readonly<Record<string, unknown>>,
  directories: readonly string[] = [src],
  before: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const { agent, connection } = await openSession('v1', {
    handlers: { requestPermission: permissionRules({ allow: [editsInside(directories)] }) },
  });
  const call = { toolCallId: 'c1', title: 'Edit', kind: 'edit' };
  agent.update('s1', { sessionUpdate: 'tool_call', ...call, ...before });
  const answer = await agent.request('session/request_permission', {
    sessionId: 's1',
    toolCall: { ...call, ...toolCall },
    options,
  });
  await connection.close();
  const { outcome } = (answer as { readonly result: { readonly outcome: PermissionOutcome } }).result;
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
}

const at = (...paths: readonly string[]) => ({ locations: paths.map((path) => ({ path })) });
const diff = (path: string) => ({ content: [{ type: 'diff', path, oldText: '', newText: 'new' }] });

describe('editsInside allows', () => {
  test('an edit of a file below the directory, that exists or not', async () => {
    expect(await answerTo(diff(join(src, 'file.ts')))).toBe('y');
    expect(await answerTo(diff(join(src, 'new.ts')))).toBe('y');
    expect(await answerTo(at(join(src, 'new', 'deep', 'new.ts')))).toBe('y');
  });

  test('an edit below one of several directories, and below a link to a directory', async () => {
    const link = join(base, 'link');
    await symlink(src, link, 'junction');
    const paths = [join(base, 'other', 'file.ts'), join(src, 'file.ts')];
    expect(await answerTo(at(...paths), [join(base, 'other'), link])).toBe('y');
    expect(await answerTo(at(join(link, 'file.ts')))).toBe('y');
  });
});

describe('editsInside refuses', () => {
  test.each<[string, () => Readonly<Record<string, unknown>>]>([
    ['a tool call that names no file', () => ({})],
    ['a file beside the directory', () => diff(join(base, 'other', 'file.ts'))],
    ['a path that only starts with the name of the directory', () => diff(`${src}-private${sep}file.ts`)],
    [
      'one location outside',
      () => ({ ...diff(join(src, 'file.ts')), ...at(join(base, 'other', 'file.ts')) }),
    ],
    ['a relative path', () => diff('file.ts')],
    ['two dots', () => diff(`${src}${sep}..${sep}other${sep}file.ts`)],
    ['two dots that lead back', () => diff(`${src}${sep}..${sep}src${sep}file.ts`)],
    ['two dots below a missing directory', () => diff(`${src}${sep}no${sep}..${sep}..${sep}other${sep}x`)],
    ['two dots with the separators of Windows', () => diff(`${src}\\..\\other\\file.ts`)],
    ['the directory itself', () => at(src)],
    ['the directory itself, with a separator', () => at(src + sep)],
    ['an empty path', () => at('')],
    ['a NUL character', () => diff(`${join(src, 'file.ts')}\0`)],
    ['a file below a file', () => diff(join(src, 'file.ts', 'x'))],
    [
      'content that it does not know',
      () => ({ ...at(join(src, 'a')), content: [{ type: 'archive', path: '/' }] }),
    ],
    ['a diff that is malformed', () => ({ ...at(join(src, 'a')), content: [{ type: 'diff', path: 5 }] })],
    ['a location that is malformed', () => ({ locations: [{ path: join(src, 'a') }, { path: 5 }] })],
    ['another kind of tool call', () => ({ kind: 'delete', ...at(join(src, 'file.ts')) })],
  ])('%s', async (_name, toolCall) => {
    expect(await answerTo(toolCall())).toBe('n');
  });

  test.skipIf(isWindows)('another case of the name on a system that tells them apart', async () => {
    expect(await answerTo(diff(join(base, 'SRC', 'file.ts')))).toBe('n');
  });

  test('a link that leads out, to a directory or to nothing', async () => {
    await symlink(join(base, 'other'), join(src, 'out'), 'junction');
    await symlink(join(base, 'missing'), join(src, 'nothing'), 'junction');
    expect(await answerTo(diff(join(src, 'out', 'file.ts')))).toBe('n');
    expect(await answerTo(diff(join(src, 'out', 'new', 'file.ts')))).toBe('n');
    expect(await answerTo(diff(join(src, 'nothing')))).toBe('n');
    expect(await answerTo(diff(join(src, 'nothing', 'file.ts')))).toBe('n');
  });

  test.skipIf(isWindows)('a file that is a link to a file outside', async () => {
    await symlink(join(base, 'other', 'file.ts'), join(src, 'out.ts'));
    expect(await answerTo(diff(join(src, 'out.ts')))).toBe('n');
  });

  test('a malformed location of an earlier update', async () => {
    const before = { locations: [{ path: join(src, 'a') }, '/etc/passwd'] };
    expect(await answerTo({}, [src], before)).toBe('n');
  });

  test('every file if the directory does not exist', async () => {
    expect(await answerTo(diff(join(base, 'no', 'file.ts')), [join(base, 'no')])).toBe('n');
  });
});

test('in version 2, the old path of a moved file and the subject count', async () => {
  const { agent, connection } = await openSession('v2-baseline', {
    handlers: { requestPermission: permissionRules({ allow: [editsInside([src])] }) },
  });
  let calls = 0;
  const answerTo = async (changes: readonly object[], subject?: object) => {
    const toolCallId = `c${calls++}`;
    agent.update('s1', {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      title: 'Move',
      kind: 'edit',
      content: [{ type: 'diff', changes }],
    });
    const answer = await agent.request('session/request_permission', {
      sessionId: 's1',
      title: 'Move?',
      subject: subject ? { ...subject, toolCallId } : { type: 'tool_call', toolCall: { toolCallId } },
      options,
    });
    return answer;
  };
  const selected = (optionId: string) => ({ result: { outcome: { outcome: 'selected', optionId } } });
  const move = (oldPath: string) => ({ operation: 'move', oldPath, path: join(src, 'new.ts') });
  expect(await answerTo([move(join(src, 'file.ts'))])).toMatchObject(selected('y'));
  expect(await answerTo([move(join(base, 'other', 'file.ts'))])).toMatchObject(selected('n'));
  const command = { type: 'command', command: 'rm -r /', cwd: src };
  expect(await answerTo([move(join(src, 'file.ts'))], command)).toMatchObject(selected('n'));
  await connection.close();
});

test('a directory that is not absolute is refused at once', () => {
  expect(() => editsInside(['src'])).toThrow(/editsInside: .*must be an absolute path/);
});
