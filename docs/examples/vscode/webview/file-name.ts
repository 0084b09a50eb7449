/** The last part of a path of any system. */
export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}
