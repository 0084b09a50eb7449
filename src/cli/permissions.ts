import type { ClientHandlers, PermissionRequest } from '../client/handlers.ts';
import { askUser, type Surroundings } from './ask-user.ts';
import type { Context } from './context.ts';
import type { Permit } from './grammar.ts';
import { chooseByKind, type Policy } from './permission-policy.ts';
import { titleOf } from './permission-title.ts';

type Handler = NonNullable<ClientHandlers['requestPermission']>;

/** Answers the agent's requests for permission as `--permit` says. */
export function permissionHandler(permit: Permit, context: Context, surroundings: Surroundings): Handler {
  if (permit !== 'ask') return (request) => decide(permit, request, context);
  const { stdin, stderr } = context.host;
  if (stdin.isTTY && stderr.isTTY) return askUser(context, surroundings);
  return (request) => {
    context.output.note(
      `"${titleOf(request)}" was refused, as there is no terminal to ask on. --permit says how to answer.`,
    );
    return decide('reject', request, context);
  };
}

function decide(policy: Policy, request: PermissionRequest, { output }: Context) {
  const choice = chooseByKind(policy, request.options);
  if ('why' in choice) {
    output.note(`"${titleOf(request)}" was answered "cancelled", as ${choice.why}.`);
  }
  return choice.outcome;
}
