/**
 * The outcome of a step, which returns or throws it. `works`, and how; `lacks`: the agent does not offer it, and nothing was sent; `refuses`: it
 * answered with an error; `partly`: it does it in some cases; `differs`: it did something that the protocol or the user does not expect; `fault`: this
 * library or the suite is wrong.
 */
export const works = (note = '') => ({ outcome: 'works', note });
export const lacks = (note = '') => ({ outcome: 'lacks', note });
export const refuses = (note = '') => ({ outcome: 'refuses', note });
export const partly = (note) => ({ outcome: 'partly', note });
export const differs = (note) => ({ outcome: 'differs', note });
export const fault = (note) => ({ outcome: 'fault', note });

/** The outcome of a step that threw. */
export function outcomeOf(error) {
  if (error?.code === 'usage.capability') return lacks();
  if (error?.code === 'remote.method_not_found' && error.missing.length > 0)
    return refuses('advertised, but the agent does not know the method');
  if (error?.rpcCode !== undefined) return refuses(`error ${error.rpcCode}`);
  return fault(`${error?.name}: ${error?.message}`);
}
