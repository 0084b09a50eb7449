import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { InvalidParamsError } from '../../core/base/errors.ts';

/**
 * The content that a user passed to `call`: as it is, or as the path of a file.
 *
 * @param what - What the file should be, for the error.
 * @throws {@link InvalidParamsError} if the file cannot be read or parsed.
 */
export async function jsonInput(
  call: string,
  given: string | object,
  what: string,
  parse: (text: string) => unknown,
): Promise<unknown> {
  if (typeof given !== 'string') return given;
  try {
    return parse(await readFile(given, 'utf8'));
  } catch (error) {
    throw new InvalidParamsError(
      `${call}: the file ${given} cannot be read: ${errorMessage(error)}. Pass the path of a ${what}.`,
      { cause: error },
    );
  }
}
