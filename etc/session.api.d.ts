import { Setting, SessionStore } from './core.js'
import { SchemaMembers, AnySchema, Provider, Out, In, CredentialsProvider, Verified } from './index.js'
export { RedisClient, RedisSessionsOptions, SessionWrite, redisSessions } from './core.js'
interface CookieAttributes {
  readonly path?: string
  readonly domain?: string
  readonly sameSite?: 'strict' | 'lax' | 'none'
  readonly partitioned?: boolean
  readonly insecure?: true
}
interface StringMembers extends SchemaMembers {
  readonly types?: TextTypes
}
interface TextTypes {
  readonly input: string
  readonly output: string
}
interface TextSchema {
  readonly '~standard': StringMembers
}
interface Session<Value, Given = Value> {
  readonly value: Value | undefined
  start(value: Given): void
  set(value: Given): void
  end(): void
}
interface SessionProvider<Value, Given = Value, Services extends object = {}> extends Provider<
  Session<Value, Given>,
  Services
> {
  readonly '~session': Value
}
interface SessionCookie extends CookieAttributes {
  readonly name?: string
}
interface SessionOptions<S extends AnySchema, KeyServices extends object = {}, StoreServices extends object = {}> {
  readonly schema?: S
  readonly keys: Setting<readonly string[], KeyServices>
  readonly store?: Setting<SessionStore, StoreServices>
  readonly cookie?: SessionCookie
  readonly idle?: number
  readonly absolute?: number
}
declare function session<
  const S extends AnySchema = TextSchema,
  KeyServices extends object = {},
  StoreServices extends object = {},
>(options: SessionOptions<S, KeyServices, StoreServices>): SessionProvider<Out<S>, In<S>, KeyServices & StoreServices>
declare function signedIn<Value, T, Services extends object = {}, VisitorServices extends object = {}>(
  visitor: SessionProvider<Value, never, VisitorServices>,
  find: (value: Value, services: Services) => T,
): CredentialsProvider<Verified<T>, Services & VisitorServices>
interface CookieValue<Value, Given = Value> {
  readonly value: Value | undefined
  set(value: Given): void
  end(): void
}
interface CookieValueOptions<S extends AnySchema, Services extends object = {}> extends CookieAttributes {
  readonly keys: Setting<readonly string[], Services>
  readonly schema?: S
  readonly lifetime?: number
}
declare function signedCookie<const S extends AnySchema = TextSchema, Services extends object = {}>(
  name: string,
  options: CookieValueOptions<S, Services>,
): Provider<CookieValue<Out<S>, In<S>>, Services>
declare function sealedCookie<const S extends AnySchema = TextSchema, Services extends object = {}>(
  name: string,
  options: CookieValueOptions<S, Services>,
): Provider<CookieValue<Out<S>, In<S>>, Services>
export { SessionStore, Setting, sealedCookie, session, signedCookie, signedIn }
export type {
  CookieAttributes,
  CookieValue,
  CookieValueOptions,
  Session,
  SessionCookie,
  SessionOptions,
  SessionProvider,
  TextSchema,
}
