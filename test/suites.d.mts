interface Suite {
  readonly does: string;
  readonly needs: readonly string[];
  readonly node: readonly string[];
}

export const suites: { readonly long: Suite } & Readonly<Record<string, Suite>>;
