/** What an author may write for `routes`, and what is computed from it: services needed, contracts kept. */
import type { Verb } from '../http/methods.js'
import type { ServicesOf, UsesIn, WantOf } from '../injection/provide.js'
import type { Input, Result, Returns } from './input-types.js'
import type { AnyRoute, RouteBase } from './route.js'

/** Routes by name: classes, groups, and sections, which are records of these under a name or a prefix (`'/v1'`). */
export interface Routes {
  readonly [key: string]: AnyRoute | Routes | Group<unknown>
}

/** What `group` makes. */
export interface Group<R, GroupUses = unknown> {
  /** Its routes. */
  readonly '~group': R
  /** Providers that guard it; a type only. */
  readonly '~uses'?: GroupUses
}

type WantClass<C> = C extends abstract new () => RouteBase<infer S>
  ? ((services: S) => void) | WantOf<UsesIn<C>> | WantContract<C[keyof C & Verb]>
  : WantSection<C>
type WantContract<E> = E extends { readonly '~spec': { readonly uses: infer U } } ? WantOf<U> : never
type WantSection<C> = C extends Group<infer R, infer U> ? WantIn<R> | WantOf<U> : C extends Routes ? WantIn<C> : never
// Stops at the recursive constraint itself: without this, services written inline are an endless instantiation (TS2589).
type WantIn<R> = string extends keyof R ? never : WantClass<R[keyof R]>

/** The services that the routes and the providers they use need, taken together. */
export type Needed<R> = R extends readonly (infer C)[] ? ServicesOf<WantClass<C>> : ServicesOf<WantIn<R>>

type Kept<C> = { [V in keyof C & Verb]: (input: Input<C[V]>) => Returns<C[V]> | Result<C[V]> }

// Computed only for the text of an error.
type Broken<C> = { [V in keyof C & Verb]: C extends abstract new () => Pick<Kept<C>, V> ? never : V }[keyof C & Verb]

/** `unknown` for a class whose methods keep their contracts, else the text of the error. */
type CheckedRoute<C> = C extends abstract new () => Kept<C>
  ? unknown
  : `${Broken<C>}() does not keep its contract: give it Input<…> and Result<…> of that contract`

type CheckedEntry<E> = E extends AnyRoute ? CheckedRoute<E> : E extends Routes ? Checked<E> : unknown

/** Routes whose methods keep their contracts; where one does not, an error at its key. */
export type Checked<R> = string extends keyof R ? unknown : { readonly [K in keyof R]: CheckedEntry<R[K]> }
