import { App } from './index.js'
import { TestOptions } from './testing.js'
declare function surface(app: App): string
interface LeavingField {
  readonly field: string
  readonly marks: readonly string[]
  readonly leaves: readonly LeavingPlace[]
}
interface LeavingPlace {
  readonly by: string
  readonly status: number | 'errors' | null
  readonly source: string
  readonly path: string
  readonly notes: readonly string[]
  readonly for: readonly string[]
}
declare function surfaceFields(app: App): LeavingField[]
interface Credentials {
  readonly bearer?: string
  readonly basic?: {
    readonly username: string
    readonly password: string
  }
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string>>
}
interface Actor extends Credentials {
  readonly expired?: Credentials
  readonly foreign?: Credentials
}
interface ActorApp<S = object> {
  readonly fetch: (input: Request | string, init?: RequestInit) => Promise<Response>
  readonly services: S
}
type ActorOption<S = object> = Actor | ((app: ActorApp<S>) => Actor | Response | Promise<Actor | Response>)
interface ExampleValues {
  readonly [name: string]: string | number | boolean | null | readonly (string | number | boolean)[]
}
interface Example {
  readonly params?: ExampleValues
  readonly query?: ExampleValues
  readonly headers?: ExampleValues
  readonly cookies?: ExampleValues
  readonly body?: unknown
  readonly status?: number
}
type ProofOverrides<S> = Pick<TestOptions<S>, 'services' | 'override'>
type DenialKind =
  'missing' | 'empty' | 'other scheme' | 'changed byte' | 'other place' | 'repeated' | 'expired' | 'foreign'
interface DenialReport {
  readonly tried: number
  readonly notTried: Readonly<Partial<Record<DenialKind, number>>>
}
type ObjectPlace = 'location' | `body.${string}`
interface ObjectCreation extends Omit<Example, 'status'> {
  readonly as: string
  readonly call: string
  readonly id: ObjectPlace
}
interface ObjectProof {
  readonly create: ObjectCreation
  readonly may?: readonly string[]
  readonly bind?: Readonly<Record<string, ObjectPlace>>
  readonly shared?: readonly string[]
  readonly existence?: 'hidden' | 'public'
}
interface AuthorizationOptions<Services = object> {
  readonly actors: Readonly<Record<string, ActorOption<Services>>>
  readonly file: string | URL
  readonly overrides?: ProofOverrides<Services>
  readonly examples?: Readonly<Record<string, Example>>
  readonly objects?: Readonly<Record<string, ObjectProof>>
  readonly subtests?: boolean
}
interface ServiceCall {
  readonly call: string
  readonly count: number
}
interface AuthorizationReport {
  readonly text: string
  readonly services: readonly ServiceCall[]
  readonly denials: DenialReport
  readonly created: readonly string[]
}
declare function authorization<R, S, Format>(
  app: App<R, S, Format>,
  options: AuthorizationOptions<S>,
): Promise<AuthorizationReport>
declare class ProofFailure extends Error {
  readonly lines: readonly string[]
  constructor(message: string, lines: readonly string[])
}
export { ProofFailure, authorization, surface, surfaceFields }
export type {
  Actor,
  ActorApp,
  ActorOption,
  AuthorizationOptions,
  AuthorizationReport,
  Credentials,
  DenialKind,
  DenialReport,
  Example,
  ExampleValues,
  LeavingField,
  LeavingPlace,
  ObjectCreation,
  ObjectPlace,
  ObjectProof,
  ProofOverrides,
  ServiceCall,
}
