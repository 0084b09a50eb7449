import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closedProxies } from './isolation.mjs';

/** What an agent's programs carry in their environment, so that none of them is left behind. */
export const markName = 'ACP_AGENTS_RUN';

/**
 * A clean home and a small project, in an empty folder, whose path is the mark of what is started here.
 *
 * `home.write` and `home.writeJson` put a file into the home; `project.path` names a file of the project and
 * `project.read` reads one, `undefined` where there is none.
 */
export function createPlace(root) {
  const folder = (part) => {
    mkdirSync(join(root, part));
    return {
      folder: join(root, part),
      path: (path) => join(root, part, path),
      write(path, text) {
        const file = join(root, part, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      },
      writeJson(path, value) {
        this.write(path, `${JSON.stringify(value, null, 2)}\n`);
      },
      read(path) {
        try {
          return readFileSync(join(root, part, path), 'utf8');
        } catch {
          return undefined;
        }
      },
    };
  };
  const home = folder('home');
  const project = folder('project');
  const temporary = folder('tmp');
  project.write('README.md', '# A small project\n');
  // Some agents look for a repository; without git the scenario runs all the same.
  spawnSync('git', ['init', '--quiet'], { cwd: project.folder, env: { ...process.env, HOME: home.folder } });
  return {
    home,
    project,
    mark: root,
    /** The whole environment of an agent, and nothing of this process's but where programs are. */
    environment: {
      PATH: process.env.PATH,
      HOME: home.folder,
      USERPROFILE: home.folder,
      TMPDIR: temporary.folder,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ...(!process.env.ACP_AGENTS_ISOLATED && closedProxies),
      [markName]: root,
    },
  };
}
