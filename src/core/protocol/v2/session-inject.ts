import type { FeatureRule } from '../feature.ts';
import { agentRequest } from '../method.ts';
import { promptFeatures } from '../param-features.ts';
import * as v from '../vocabulary.ts';
import { PromptBlock } from './content.ts';

/**
 * Messages for a session that works already. The schema is a proposal and may change with any release.
 *
 * @see https://github.com/agentclientprotocol/agent-client-protocol/pull/1261
 * @see https://github.com/agentclientprotocol/agent-client-protocol/pull/2043
 *
 * @experimental
 */

/** How an agent advertises that it takes messages into the turn that runs. */
export const injectionRule: FeatureRule = { path: 'capabilities.session.inject.modes', kind: 'steer' };

export const SessionInjectMode = v.openEnum<'queue' | 'steer'>();

export const InjectSessionRequest = v.struct({
  sessionId: v.string(),
  mode: SessionInjectMode,
  content: v.nonEmptyArray(PromptBlock),
  _meta: v.meta,
});

/** The agent has the message. It reports it later, as a `user_message` with this id. */
export const InjectSessionResponse = v.struct({ messageId: v.string(), _meta: v.meta });

/** @see https://github.com/agentclientprotocol/agent-client-protocol/pull/1261 */
export const injectMessage = agentRequest({
  method: 'session/inject',
  params: InjectSessionRequest,
  result: InjectSessionResponse,
  requires: 'session.inject',
  uses: ({ content }) => promptFeatures({ prompt: content }),
});

export const RevokeInjectSessionRequest = v.struct({
  sessionId: v.string(),
  messageId: v.string(),
  _meta: v.meta,
});

/** @see https://github.com/agentclientprotocol/agent-client-protocol/pull/1261 */
export const revokeMessage = agentRequest({
  method: 'session/revoke_inject',
  params: RevokeInjectSessionRequest,
  result: v.json,
  requires: 'session.inject',
});
