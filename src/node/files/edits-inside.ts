import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import * as v from 'valibot';
import { checkOptions } from '../../core/base/options.ts';
import type { PermissionRule } from '../../core/client/requests/permission-rules.ts';
import { pathsOf } from '../../core/conversation/select.ts';
import type { ToolCallContent } from '../../core/model/tool-call.ts';
import { absolutePath, arrayOf } from '../process/options.ts';
import { windowsPathError } from '../process/windows-path.ts';
import { entryAt, nothing } from './file-location.ts';
import { type Roots, rootOf } from './roots.ts';

/**
 * A rule for {@link permissionRules}: allows tool calls of the kind `edit` if every file that they name is below one of
 * these directories. {@link pathsOf} has the files that count.
 *
 * It does not allow, and the other rules decide:
 *
 * - a tool call that names no file, or has content of a type that this library does not know, or a location that cannot
 *   be read
 * - a request about a command, and tool calls of other kinds, such as `delete` and `move`
 * - a path that is not absolute or has `..`, and the directories themselves
 * - a path that leads out through a link, or through a link to something that does not exist
 *
 * The files are looked up when the agent asks, on this machine: a file of an agent on another machine is not below a
 * directory here, unless the same path exists on both. A directory that does not exist allows nothing.
 *
 * @param directories - Absolute paths. They can be links.
 * @throws {@link InvalidParamsError} if a path is not absolute.
 *
 * @example
 * ```ts
 * const requestPermission = permissionRules({ allow: ['read', editsInside([join(cwd, 'src')])] });
 * ```
 */
export function editsInside(directories: readonly string[]): PermissionRule {
  const { directories: roots } = checkOptions(
    'editsInside',
    v.object({ directories: arrayOf(absolutePath) }),
    { directories },
  );
  return async ({ toolCall, subject }) => {
    if (toolCall?.toolKind !== 'edit' || (subject !== null && subject.type !== 'tool_call')) return false;
    if (!toolCall.content.every(({ type }) => knownContent.has(type))) return false;
    const paths = pathsOf(toolCall);
    if (paths.length === 0) return false;
    for (const path of paths) if (!(await isFileBelow(path, roots))) return false;
    return true;
  };
}

/** Content of another type can name files in a way that is not known. */
const knownContent: ReadonlySet<string> = new Set<ToolCallContent['type']>([
  'content',
  'diff',
  'terminal',
  'session',
]);

/** Whether a write to `path` changes a file below a root, as the links on the way are now. */
async function isFileBelow(path: string, roots: Roots): Promise<boolean> {
  // A link before `..` leads elsewhere than the text of the path says.
  if (!isAbsolute(path) || path.includes('\0') || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path)) return false;
  if (process.platform === 'win32' && windowsPathError(path, roots)) return false;
  try {
    for (let place = path; ; place = dirname(place)) {
      const realPath = await realpath(place).catch(nothing);
      if (realPath !== undefined) {
        const root = await rootOf(realPath, roots);
        // What does not exist yet is created below what exists.
        return root !== undefined && (place !== path || realPath !== root);
      }
      if (await entryAt(place)) return false; // a link to something that does not exist
      if (place === dirname(place)) return false;
    }
  } catch {
    return false; // it cannot be looked up
  }
}
