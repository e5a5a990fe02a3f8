import { TestRequestOptions, TestOptions, Flat, Source, VerbsAt } from './core.js'
import { ClientOf } from './client.js'
import { AdditionalServices, App, Verb, Contract, Input, Context, RouteBase, AnyRoute } from './index.js'
export { Override, StrictOptions, override } from './core.js'
interface MissingResponse {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly status: number
}
interface TestApp<R = unknown, S = object, Format = unknown> extends AsyncDisposable {
  readonly api: ClientOf<R, Format>
  readonly fetch: (input: Request | string, init?: RequestInit, options?: TestRequestOptions) => Promise<Response>
  readonly services: S & AdditionalServices
  readonly report: () => MissingResponse[]
  readonly close: () => Promise<void>
}
declare class TestFailure extends Error {
  constructor(message: string, options?: ErrorOptions)
}
declare function testApp<R, S, Format>(app: App<R, S, Format>, options?: TestOptions<S>): Promise<TestApp<R, S, Format>>
type SourceName = Source | 'rawBody'
type Optional<T> = {
  [K in keyof T as {} extends T[K] ? K : never]?: T[K]
} & {
  [K in keyof T as {} extends T[K] ? never : K]: T[K]
}
type InputAt<Class, V extends Verb> = Class extends {
  readonly [K in V]: infer C extends Contract
}
  ? Input<C>
  : Input
type SourcesOf<I> = {
  [K in keyof I & SourceName]: I[K]
}
type UsesOf<I> = {
  [K in Exclude<keyof I, SourceName | keyof Context>]: I[K]
}
type ServicesAt<Class> = Class extends abstract new () => RouteBase<infer Services> ? Services : {}
type ReturnAt<Class, V extends Verb> = Class extends abstract new () => {
  [K in V]: (...args: any) => infer Value
}
  ? Awaited<Value>
  : never
interface InvokedRequest {
  readonly request?: Request
}
interface InvokedParts<Uses, Services> {
  readonly uses: Uses
  readonly services: Services
}
type Invoked<Class, V extends Verb> = InvokedRequest &
  Flat<
    Optional<SourcesOf<InputAt<Class, V>>> & Optional<InvokedParts<Flat<UsesOf<InputAt<Class, V>>>, ServicesAt<Class>>>
  >
declare function invoke<Class extends AnyRoute, const V extends VerbsAt<Class>>(
  route: Class,
  verb: V,
  ...[given]: {} extends Invoked<Class, V> ? [given?: Invoked<Class, V>] : [given: Invoked<Class, V>]
): Promise<ReturnAt<Class, V>>
export { TestFailure, TestOptions, TestRequestOptions, VerbsAt, invoke, testApp }
export type { Invoked, InvokedParts, InvokedRequest, MissingResponse, ReturnAt, TestApp }
