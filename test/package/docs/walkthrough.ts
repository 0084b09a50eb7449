import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { root } from '../entries.ts';
import { type Consumer, installPackage } from '../installed.ts';

const run = promisify(execFile);

/** What a page has its reader do, in its order: save a file, or run commands and see what the last one prints. */
export type Step =
  | { readonly file: string; readonly content: string }
  | { readonly commands: readonly string[]; readonly printed: string };

/** A comment `<!-- file: … -->` before a block names the file; a `text` block after commands is what they print. */
export async function stepsOf(page: string): Promise<readonly Step[]> {
  const source = await readFile(resolve(import.meta.dirname, '../../..', page), 'utf8');
  const found = source.matchAll(
    /(?:<!-- file: (\S+) -->\n```(?:js|ts|json)|^```sh)\n([\s\S]*?)^```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm,
  );
  return [...found].map(([, file, content = '', printed = '']) =>
    file === undefined ? { commands: content.trim().split('\n'), printed } : { file, content },
  );
}

/** The steps of a reader who writes JavaScript. A program that the page has in TypeScript alone is one in both languages. */
export function javaScriptSteps(steps: readonly Step[]): readonly Step[] {
  const files = new Set(steps.map((step) => ('file' in step ? step.file : '')));
  return steps.flatMap((step): Step[] => {
    if (!('file' in step)) return [withoutCompiler(step)];
    const file = step.file.replace(/\.mts$/, '.mjs');
    const isLeftOut = step.file.startsWith('tsconfig') || (file !== step.file && files.has(file));
    return isLeftOut ? [] : [{ ...step, file }];
  });
}

/** The steps of a reader who writes TypeScript, with more files. The compiler takes long: it compiles all at once. */
export function typeScriptSteps(steps: readonly Step[], more: readonly Step[]): readonly Step[] {
  return [
    ...steps.filter((step) => 'file' in step && !step.file.endsWith('.mjs')),
    ...more,
    { commands: ['npx tsc'], printed: '' },
    ...steps.flatMap((step): Step[] => ('file' in step ? [] : [withoutCompiler(step)])),
  ];
}

/** The commands of a step without the compiler. */
function withoutCompiler(step: Extract<Step, { readonly printed: string }>): Step {
  return { ...step, commands: step.commands.filter((command) => command !== 'npx tsc') };
}

/** A reader of a page, with a folder that has the package. */
export interface Reader extends Consumer {
  /** Runs a command in the reader's folder, and gives what it prints. Rejects if it fails. */
  shell(command: string): Promise<string>;
  /** Does what the page says, and holds what is printed against what the page shows. */
  follow(steps: readonly Step[]): Promise<void>;
}

/** A reader whose folder has the package as it is published, and its command line. */
export async function createReader(): Promise<Reader> {
  const consumer = await installPackage();
  const { folder } = consumer;
  const program = join(folder, 'node_modules/acp-client-sdk/dist/cli.js');
  await chmod(program, 0o755);
  await mkdir(join(folder, 'node_modules/.bin'));
  await symlink(program, join(folder, 'node_modules/.bin/acp-client-sdk'));
  await symlink(join(root, 'node_modules/typescript/bin/tsc'), join(folder, 'node_modules/.bin/tsc'));

  const shell = async (command: string) => {
    // npx uses what is installed.
    const env = { ...process.env, npm_config_offline: 'true' };
    const { stdout } = await run('/bin/sh', ['-c', command], { cwd: folder, env, timeout: 600_000 });
    return stdout;
  };

  return {
    ...consumer,
    shell,
    async follow(steps) {
      for (const step of steps) {
        if ('file' in step) {
          await consumer.write({ [step.file]: step.content });
          continue;
        }
        let printed = '';
        for (const command of step.commands) {
          // Needs the network; the packages are there already.
          if (!command.startsWith('npm install ')) printed = await shell(command);
        }
        if (step.printed !== '') expect(printed).toBe(step.printed);
      }
    },
  };
}
