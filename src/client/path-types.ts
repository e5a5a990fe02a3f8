/** The paths of an app, computed from its routes: sections, groups, prefixes and derived names included. */
import type { KebabCase } from '../naming/kebab-case.js'
import type { AnyRoute } from '../route/route.js'
import type { Group, Routes } from '../route/routes-types.js'

/** Classes by path; those that share one, as versions do, as a union. */
export type ClassesByPath<R> = Mapped<R extends readonly (infer C)[] ? EntryOf<C, '', never> : EntriesIn<R, ''>>

interface Entry<Path, Class> {
  readonly path: Path
  readonly class: Class
}

type Mapped<E> = { [Each in E as PathIn<Each>]: ClassIn<Each> }

// A path that is no literal leads nowhere: its class has a `static path` that is not `readonly`.
type PathIn<E> = E extends Entry<infer Path extends string, unknown> ? (string extends Path ? never : Path) : never
type ClassIn<E> = E extends Entry<string, infer Class> ? Class : never

// Stops at the recursive constraint itself.
type EntriesIn<R, Above extends string> = string extends keyof R
  ? never
  : { [K in keyof R]: R[K] extends AnyRoute ? EntryOf<R[K], Above, K> : SectionIn<R[K], Mount<Above, K>> }[keyof R]

type SectionIn<S, Above extends string> =
  S extends Group<infer R> ? EntriesIn<R, Above> : S extends Routes ? EntriesIn<S, Above> : never

type Mount<Above extends string, K> = K extends `/${string}` ? `${Above}${K}` : Above

type EntryOf<C, Above extends string, K> = Entry<Rooted<`${Above}${PrefixOf<C>}${OwnPath<C, K>}`>, C>

type Rooted<Path extends string> = Path extends '' ? '/' : Path

type PrefixOf<C> = C extends { readonly prefix: infer Prefix extends string } ? Prefix : ''

// A class of an array, which has no key, is reached by its `static path` alone.
type OwnPath<C, K> = C extends { readonly path: infer Path extends string } ? Path : DerivedPath<K>

type DerivedPath<K> = K extends '/' ? '' : `/${KebabCase<K & string>}`
