/**
 * What became of a step. `works`, and how; `lacks`: the agent does not offer it, and nothing was sent; `refuses`: it
 * answered with an error; `differs`: it did something else than its protocol or the user would have it; `fault`: this
 * library, or the suite, got something wrong.
 */
export const works = (note = '') => ({ outcome: 'works', note });
export const lacks = (note = '') => ({ outcome: 'lacks', note });
export const refuses = (note = '') => ({ outcome: 'refuses', note });
export const differs = (note) => ({ outcome: 'differs', note });
export const fault = (note) => ({ outcome: 'fault', note });

/** The same for the error that a step ended with. */
export function outcomeOf(error) {
  if (error?.code === 'usage.capability')
    return error.answered ? refuses('advertised, and unknown') : lacks();
  if (error?.rpcCode !== undefined) return refuses(`error ${error.rpcCode}`);
  return fault(`${error?.name}: ${error?.message}`);
}
