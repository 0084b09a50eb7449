import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The environment variable that marks the processes of an agent, so that the suite can find and end them. */
export const markName = 'ACP_AGENTS_RUN';

/**
 * Creates a clean home and a small project in a folder. The path of the folder is the mark of the processes.
 *
 * `home.write` and `home.writeJson` write a file into the home. `project.path` returns the path of a file of the project,
 * and `project.read` its text, or `undefined` if it does not exist.
 */
export function createPlace(root) {
  const folder = (part) => {
    mkdirSync(join(root, part), { recursive: true });
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
  // Some agents look for a repository. The scenario also runs without git.
  spawnSync('git', ['init', '--quiet'], { cwd: project.folder, env: { ...process.env, HOME: home.folder } });
  return {
    home,
    project,
    mark: root,
    /** The whole environment of an agent. Only PATH comes from this process. */
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

const script = 'ip link set lo up && exec "$@"';
const unshare = [
  'unshare',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  'sh',
  '-c',
  script,
  'sh',
];

/**
 * The prefix of a command that runs it in new network and process namespaces: it reaches loopback only, and its processes
 * end with it. `[]` where the system or the permissions of the user do not allow this.
 */
export function isolationPrefix() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  const [command, ...args] = unshare;
  const probe = spawnSync(command, [...args, 'true'], { stdio: 'ignore' });
  return probe.status === 0 ? unshare : [];
}

/** Used without namespaces: proxy settings that lead nowhere, for programs that read them. */
const closedProxies = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};
