import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits without an event: for something that must not happen, or as a peer that is slow. What a test expects must not
 * need that something has happened meanwhile: on a busy machine nothing may have.
 */
export const letTimePass = (ms: number): Promise<void> => pause(ms);

/** A limit for something that never comes. A busy machine cannot make it come. */
export const neverComesMs = 300;
