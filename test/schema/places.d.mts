export function placesIn(root: string): (version: 1 | 2, name: string, definition: object) => string;
