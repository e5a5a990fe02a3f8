/** The typed client: a path leads to the endpoints there, and only those in use are computed. */
import type { App } from '../app/app-types.js'
import type { Verb } from '../http/methods.js'
import type { Answers, Failure } from './answer-types.js'
import type { Asked, NoContract } from './ask-types.js'
import type { ClassesByPath } from './path-types.js'

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
