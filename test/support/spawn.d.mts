import type { ChildProcess, spawn as start } from 'node:child_process';

export declare const spawn: typeof start;
export declare function endProgram(program: ChildProcess, signal?: NodeJS.Signals): Promise<void>;
