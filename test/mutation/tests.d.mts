/** The tests that must notice a change in a part of the sources. */
export declare const testsOf: readonly { readonly sources: string; readonly tests: readonly string[] }[];
export declare const slowTests: readonly string[];
