/** Types that refuse what is misspelt. */

/** Makes a key that `Allowed` does not have an error at that key. */
export type Only<Given, Allowed> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: UnknownKey<Given[K], K & string>
}

// A value of type `any` fits every type but `never`; for all others the error says what is wrong.
type UnknownKey<Value, K extends string> = 0 extends 1 & Value ? never : `unknown key: ${K}`
