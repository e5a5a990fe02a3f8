/** `Json`: types of values after JSON. */

/** Type of a value after JSON: a `Date` becomes a string, as its `toJSON` does, and functions are omitted. */
export type Json<T> = 0 extends 1 & T ? T : JsonOf<T>

type Scalar = string | number | boolean | null | undefined
// oxlint-disable-next-line no-explicit-any -- matches any parameters
type NotSent = ((...args: any) => unknown) | symbol

type JsonOf<T> = T extends Scalar
  ? T
  : T extends { toJSON(key?: never): infer Shown }
    ? Json<Shown>
    : T extends object
      ? JsonObject<T>
      : unknown extends T
        ? T
        : never

type JsonObject<T> = T extends NotSent ? never : T extends readonly unknown[] ? JsonList<T> : JsonRecord<T>
type JsonList<T> = { [K in keyof T]: Json<T[K]> }
type JsonRecord<T> = { [K in keyof T as T[K] extends NotSent ? never : K]: Json<T[K]> } & {}
