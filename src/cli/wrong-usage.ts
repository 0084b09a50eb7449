/** The command line is wrong. Nothing was started. */
export class WrongUsage extends Error {
  override readonly name: string = 'WrongUsage';
}

/** The command line names a file that does not serve. Nothing was started. */
export class UnusableFile extends WrongUsage {
  override readonly name = 'UnusableFile';
}
