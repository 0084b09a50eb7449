import type { ModelsUpdate, ModesUpdate } from '../model/client-update.ts';
import type {
  AvailableCommandsUpdate,
  ConfigOptionUpdate,
  CurrentModeUpdate,
  SessionInfoUpdate,
  StateUpdate,
  UsageUpdate,
} from '../model/update.ts';
import type { Draft } from './draft.ts';

/** Replaces the activity. Other updates do not change it. */
export function stateUpdate(
  draft: Draft,
  { state, stopReason, error, usage, background, _meta }: StateUpdate,
): void {
  draft.set('activity', {
    state,
    stopReason: stopReason ?? null,
    ...(error && { error }),
    ...(usage && { usage }),
    ...(background && { background }),
    ...(_meta && { _meta }),
  });
}

export function commandsUpdate(draft: Draft, { availableCommands }: AvailableCommandsUpdate): void {
  draft.set('commands', availableCommands);
}

export function configOptionUpdate(draft: Draft, { configOptions }: ConfigOptionUpdate): void {
  draft.set('configOptions', configOptions);
}

export function modesUpdate(draft: Draft, { modes }: ModesUpdate): void {
  draft.set('modes', modes);
}

export function modelsUpdate(draft: Draft, { models }: ModelsUpdate): void {
  draft.set('models', models);
}

export function currentModeUpdate(draft: Draft, { currentModeId }: CurrentModeUpdate): void {
  draft.set('modes', { availableModes: [], ...draft.fields.modes, currentModeId });
}

export function sessionInfoUpdate(draft: Draft, { title, updatedAt, _meta }: SessionInfoUpdate): void {
  const { info, meta } = draft.fields;
  draft.set('info', {
    title: title === undefined ? info.title : title,
    updatedAt: updatedAt === undefined ? info.updatedAt : updatedAt,
  });
  draft.set('meta', draft.patchMeta(meta, _meta));
}

export function usageUpdate(draft: Draft, { used, size, cost, _meta }: UsageUpdate): void {
  const known = draft.fields.usage?.cost ?? null;
  draft.set('usage', { used, size, cost: cost === undefined ? known : cost, ...(_meta && { _meta }) });
}
