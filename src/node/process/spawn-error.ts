import { errorMessage } from '../../core/base/diagnostic.ts';
import { SpawnError } from '../../core/base/errors.ts';
import type { Launch } from './start-program.ts';

/** The error for a start that failed. What explains it is loaded then, because nearly all starts succeed. */
export async function spawnErrorOf(failure: NodeJS.ErrnoException, launch: Launch): Promise<SpawnError> {
  const message = await import('./spawn-failure.ts')
    .then(({ explainSpawnFailure }) => explainSpawnFailure(failure, launch))
    // A process with too many open files can neither start a program nor load the explanation.
    .catch(() => `Could not start "${launch.command}": ${errorMessage(failure)}.`);
  return new SpawnError(message, { ...launch, errno: failure.code, cause: failure });
}
