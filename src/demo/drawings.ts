import type { Drawing } from './picture.ts';

/** A page of a calendar: the 29th, struck out. */
export const calendarPage: Drawing = {
  palette: { '.': [222, 226, 230], '#': [52, 58, 64], r: [201, 42, 42], w: [255, 255, 255] },
  rows: [
    '................',
    '...#........#...',
    '.rr#rrrrrrrr#rr.',
    '.rrrrrrrrrrrrrr.',
    '.wwwwwwwwwwwwww.',
    '.ww####ww####ww.',
    '.wwwww#ww#ww#ww.',
    '.rrrrrrrrrrrrrr.',
    '.ww#wwwwwwww#ww.',
    '.ww####ww####ww.',
    '.wwwwwwwwwwwwww.',
    '................',
  ],
};

export const teapot: Drawing = {
  palette: { '.': [248, 249, 250], t: [43, 138, 62] },
  rows: [
    '................',
    '.......tt.......',
    '.....tttttt.....',
    't...tttttttt.tt.',
    'tt.tttttttttt..t',
    '.tttttttttttt..t',
    '..ttttttttttt.t.',
    '...ttttttttttt..',
    '....tttttttt....',
    '................',
  ],
};
