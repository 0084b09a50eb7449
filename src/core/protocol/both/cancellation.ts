import * as v from 'valibot';
import { clientNotification } from '../method.ts';
import { integer, meta, struct } from '../vocabulary.ts';

export const RequestId = v.union([v.string(), integer, v.null()]);
export type RequestId = v.InferOutput<typeof RequestId>;

export const CancelRequestNotification = struct({ requestId: RequestId, _meta: meta });
export type CancelRequestNotification = v.InferOutput<typeof CancelRequestNotification>;

/**
 * Both sides may send this notification. This describes the one from the agent.
 *
 * @see https://agentclientprotocol.com/protocol/v1/cancellation#%24%2Fcancel_request-notification
 * @see https://agentclientprotocol.com/protocol/v2/cancellation#%24%2Fcancel_request-notification
 */
export const cancelRequest = clientNotification({
  method: '$/cancel_request',
  params: CancelRequestNotification,
});
