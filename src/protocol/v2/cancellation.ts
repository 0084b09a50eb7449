import * as v from 'valibot';
import { clientNotification } from '../method.ts';
import { integer, meta, struct } from '../vocabulary.ts';

export const RequestId = v.union([v.string(), integer]);
export type RequestId = v.InferOutput<typeof RequestId>;

export const CancelRequestNotification = struct({ requestId: RequestId, _meta: meta });
export type CancelRequestNotification = v.InferOutput<typeof CancelRequestNotification>;

/**
 * Either side may send it; this describes the agent's.
 *
 * @see https://agentclientprotocol.com/protocol/v2/cancellation#%24%2Fcancel_request-notification
 */
export const cancelRequest = clientNotification({
  method: '$/cancel_request',
  params: CancelRequestNotification,
});
