import { describe } from 'vitest';
import { testGrowth } from './law.ts';
import { shapes } from './shapes.ts';
import { type Stage, type StageName, stages } from './stages.ts';

/** For one stage, as in `GROWTH_STAGE=mirror`. */
const chosen = process.env['GROWTH_STAGE'] ?? '';

/** The stages that are judged, each with its function. */
const judged = (Object.entries(stages) as [StageName, Stage][]).filter(([name]) => name.includes(chosen));

describe.each(judged)('%s', (name, stage) => testGrowth(name, stage, shapes));
