/** The command line is wrong. Nothing was started. */
export class WrongUsage extends Error {
  override readonly name: string = 'WrongUsage';
}

/** A file that the command line names, or that the result goes to, does not serve. */
export class UnusableFile extends WrongUsage {
  override readonly name = 'UnusableFile';
}
