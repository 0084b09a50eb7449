import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/**
 * Runs `acp-client` with arguments and the command of an agent, in the project of the place. Resolves to
 * `{ code, stdout, stderr }`. `code` is `null` after the time limit.
 */
export function acpClient({ launch, place, timeoutMs }, ...args) {
  const command = [program, ...args, '--', launch.command, ...launch.args];
  const options = {
    cwd: place.project.folder,
    env: { ...place.environment, ...launch.env },
    timeout: timeoutMs,
    maxBuffer: 16 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin.end();
  });
}
