import { type Call, call, type PromptParams, type SteerAnswer } from './calls.ts';
import { promptParams } from './encode.ts';
import type { FeatureRule } from './feature.ts';
import { agentRequest } from './method.ts';
import { promptFeatures, type WithPrompt } from './param-features.ts';
import * as v from './vocabulary.ts';

/**
 * The extension with which some agents take a message into the turn that runs. It is the same in both versions of the
 * protocol. What the protocol itself is to have is in `v2/session-inject.ts`.
 *
 * @experimental
 */

/** How an agent advertises the extension. */
export const steeringRule: FeatureRule = { path: '_meta.steering.supported', kind: 'boolean' };

/** What became of the message. An outcome that is not known here says nothing of that, so it is an error. */
const SteeringResponse = v.struct({
  outcome: v.picklist(['injected', 'startedNewTurn', 'promptRequired', 'failed']),
  reason: v.nullableString,
  _meta: v.meta,
});

/** The call, whose parameters are those of a prompt. */
export function steeringCall<P extends WithPrompt>(params: v.Schema<P>): Call<PromptParams, SteerAnswer> {
  const descriptor = agentRequest({
    method: '_session/steering',
    params,
    result: SteeringResponse,
    requires: 'session.steer',
    uses: promptFeatures,
  });
  return call({
    descriptor,
    // An agent without a running turn leaves it to the client to send a prompt.
    encode: ({ _meta, ...message }) =>
      promptParams({ ...message, _meta: { steering: { idleBehavior: 'promptRequired' }, ..._meta } }),
    decode: ({ outcome }) => ({ outcome }),
  });
}
