import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { entries } from './entries.ts';

/** The program of a user, with the package in place of the sources. */
export async function program(): Promise<string> {
  const source = await readFile(join(import.meta.dirname, 'consumer-program.ts'), 'utf8');
  const names = new Map(Object.entries(entries).map(([name, file]) => [file, name]));
  return source.replace(/'..\/..\/src\/entries\/(.+?)\.ts'/g, (_, file: string) => `'${names.get(file)}'`);
}

/** What the program prints, where the package works. */
export const findings = {
  stopReason: 'end_turn',
  said: ['Hello?', 'Hello.'],
  refused: 'session.load',
  demoSessions: true,
  failed: 'agent.spawn',
  blocks: ['text', 'text'],
  folded: expect.stringContaining('Folded.'),
};
