import type { CustomFeature, Feature } from './feature.ts';

/** The features that parameters need, beyond the feature of their method. They are the same in all versions. */

type Features = readonly (Feature | CustomFeature)[];

interface SessionParams {
  readonly mcpServers?: readonly { readonly type?: string }[] | null;
  readonly additionalDirectories?: readonly string[] | null;
  readonly systemPrompt?: { readonly mode: string } | null;
  readonly configOptions?: readonly unknown[] | null;
}

/** What opening a session needs. An empty list of directories needs the feature too: older agents reject the key. */
export function sessionFeatures({
  mcpServers,
  additionalDirectories,
  systemPrompt,
  configOptions,
}: SessionParams): Features {
  const features = new Set<Feature | CustomFeature>();
  if (additionalDirectories) features.add('session.additionalDirectories');
  // The schema allows no other transports.
  for (const { type = 'stdio' } of mcpServers ?? []) features.add(`session.mcp.${type}` as Feature);
  if (systemPrompt) features.add('session.systemPrompt');
  if (systemPrompt?.mode === 'override') features.add('session.systemPrompt.override');
  if (configOptions) features.add('session.options');
  return [...features];
}

/** Parameters with the blocks of a prompt. */
export interface WithPrompt {
  readonly prompt: readonly { readonly type: string }[];
}

const blockFeatures: Readonly<Record<string, Feature>> = {
  image: 'session.prompt.image',
  audio: 'session.prompt.audio',
  resource: 'session.prompt.embeddedContext',
  skill: 'session.prompt.skill',
};

/** What a prompt needs. Every agent accepts text and resource links. A skill is the first block, unless it can be anywhere. */
export function promptFeatures({ prompt }: WithPrompt): Features {
  const features = new Set<Feature>();
  for (const [index, { type }] of prompt.entries()) {
    if (Object.hasOwn(blockFeatures, type)) features.add(blockFeatures[type] as Feature);
    if (type === 'skill' && index > 0) features.add('session.prompt.skill.inline');
  }
  return [...features];
}

/** What listing sessions needs. */
export function listFeatures({ archived }: { readonly archived?: string | null }): Features {
  return archived ? ['session.archive'] : [];
}

/** What resuming a session needs. A resume with a replay needs what a load needs. */
export function resumeFeatures(params: SessionParams & { readonly replayFrom?: object | null }): Features {
  return params.replayFrom ? ['session.load', ...sessionFeatures(params)] : sessionFeatures(params);
}
