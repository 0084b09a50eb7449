import { expect, test } from 'vitest';
import { byteCases, idKinds } from '../support/faults/cases.ts';
import { sweep } from '../support/faults/sweep.ts';

/** Only for a hang. */
const limitMs = 600_000;

/** An event with a part of a text, and as many bytes as it has. */
const [textEvent, textEventBytes] = [5, 240];

test.each(idKinds)(
  'a stream that breaks or ends at each byte of an event %s',
  { timeout: limitMs },
  async (ids) => {
    const cases = byteCases(textEvent, textEventBytes, ids);
    const { counts, problems } = await sweep({
      transport: 'streamable-http',
      version: 1,
      cases,
      recoveries: 'in turns',
    });
    expect(problems).toEqual([]);
    if (ids === 'with ids') expect(counts).toMatchObject({ unchanged: textEventBytes });
    else expect(counts).toMatchObject({ unchanged: 0, refused: 0 });
  },
);
