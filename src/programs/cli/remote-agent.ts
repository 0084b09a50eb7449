import { remoteTransport } from '../../agents/remote.ts';
import type { Transport } from '../../core/transport/transport.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { CommandError, usageError } from './errors.ts';

/**
 * What opens a channel to the agent at a URL, each time that it is called. The first one is made at once, because a wrong
 * command line must not begin anything.
 *
 * @throws {@link CommandError} if the token is missing, or others could read it.
 * @throws {@link InvalidParamsError} if the URL or a header is wrong.
 */
export function remoteOpener(address: string, invocation: Invocation, context: Context): () => Transport {
  const open = () => openRemoteAgent(address, invocation, context);
  let first: Transport | undefined = open();
  return () => {
    const transport = first ?? open();
    first = undefined;
    return transport;
  };
}

function openRemoteAgent(address: string, invocation: Invocation, { host }: Context): Transport {
  const headers = headersOf(invocation, host.env);
  return remoteTransport(address, Object.keys(headers).length === 0 ? {} : { headers });
}

/** The headers of `--header`, and the token of `--token-env`. Headers of the same name are one, as in HTTP. */
export function headersOf(
  { headers, tokenVariable }: Invocation,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const all = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = all.get(name.toLowerCase());
    all.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  if (tokenVariable !== undefined) {
    if (all.has('authorization')) {
      throw usageError('--token-env and --header Authorization exclude each other.');
    }
    all.set('authorization', `Bearer ${tokenIn(tokenVariable, env)}`);
  }
  return Object.fromEntries(all);
}

function tokenIn(variable: string, env: NodeJS.ProcessEnv): string {
  const token = env[variable]?.trim();
  if (token) return token;
  const problem = /^\w+$/.test(variable)
    ? `the environment variable ${variable} has no token`
    : // The user may have given the token itself.
      'it takes the name of an environment variable, and not the token';
  throw usageError(`--token-env: ${problem}.`);
}
