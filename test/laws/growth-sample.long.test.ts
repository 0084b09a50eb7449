import { describe } from 'vitest';
import { testGrowth } from './growth/law.ts';
import { shapes } from './growth/shapes.ts';
import { type Stage, type StageName, stages } from './growth/stages.ts';

const all = Object.entries(stages) as [StageName, Stage][];

// Each shape goes through one of the stages. `npm run suite -- growth` has all of both.
describe.each(all.map(([name, stage], place) => ({ name, stage, place })))(
  '$name',
  ({ name, stage, place }) =>
    testGrowth(
      name,
      stage,
      shapes.filter((_, index) => index % all.length === place),
    ),
);
