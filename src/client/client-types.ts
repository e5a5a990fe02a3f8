/** The typed client: a path, computed from sections, groups, prefixes and names, leads to the endpoints there. */
import type { App } from '../app/app-types.js'
import type { Verb } from '../http/methods.js'
import type { KebabCase } from '../naming/kebab-case.js'
import type { AnyRoute } from '../route/route.js'
import type { Group, Routes } from '../route/routes-types.js'
import type { Answers, Failure } from './answer-types.js'
import type { Asked, NoContract } from './ask-types.js'

/** A client of an app: a function from paths to endpoints. */
export type Client<A> = A extends App<infer R, infer _S> ? ClientOf<R> : never

/** A client of the app's routes. */
export type ClientOf<R> = unknown extends R ? (path: Untyped) => never : At<ClassesByPath<R>>

type Untyped = 'the app has lost its routes: let "createApp" say its type, not an annotation'

type At<Classes> = <Path extends keyof Classes & string>(path: Path) => EndpointsAt<Classes[Path], Path>

/** The endpoints of a path, by verb. */
export type EndpointsAt<Class, Path extends string> = {
  readonly [V in VerbsOf<Class>]: EndpointCall<AskedOf<Class, V, Path>, AnswersOf<Class, V>>
}

/** An endpoint as a client calls it. */
export type EndpointCall<Options, Answer> = {} extends Options
  ? (options?: Options) => Promise<Answer | Failure>
  : (options: Options) => Promise<Answer | Failure>

type VerbsOf<Class> = Class extends abstract new () => infer Instance ? keyof Instance & Verb : never

type SpecOf<Class, V extends Verb> = Class extends { readonly [K in V]: { readonly '~spec': infer Spec } }
  ? Spec
  : NoContract

// Each class of a path for itself: versions give unions.
type AskedOf<Class, V extends Verb, Path extends string> = Class extends unknown ? AskedAt<Class, V, Path> : never
type AskedAt<Class, V extends Verb, Path extends string> =
  V extends VerbsOf<Class> ? Asked<SpecOf<Class, V>, Path> : never

type AnswersOf<Class, V extends Verb> = Class extends unknown ? Answers<SpecOf<Class, V>, Class, V> : never

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
