interface Suite {
  readonly does: string;
  readonly needs: readonly string[];
  readonly node: readonly string[];
}

export const suites: { readonly long: Suite; readonly package: Suite } & Readonly<Record<string, Suite>>;
