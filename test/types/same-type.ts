/** What tests of types share. */

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only when both types are the same: `sameType<typeof value, string>()`. */
export declare function sameType<A, B>(...difference: Same<A, B> extends true ? [] : [{ is: A; wanted: B }]): void
