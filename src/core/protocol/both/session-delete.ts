import * as v from 'valibot';
import { agentRequest } from '../method.ts';
import { json, meta, struct } from '../vocabulary.ts';

export const DeleteSessionRequest = struct({ sessionId: v.string(), _meta: meta });
export type DeleteSessionRequest = v.InferOutput<typeof DeleteSessionRequest>;

/**
 * @see https://agentclientprotocol.com/protocol/v1/session-delete#deleting-a-session
 * @see https://agentclientprotocol.com/protocol/v2/session-delete#deleting-a-session
 */
export const deleteSession = agentRequest({
  method: 'session/delete',
  params: DeleteSessionRequest,
  result: json,
  requires: 'session.delete',
  session: 'ends',
});
