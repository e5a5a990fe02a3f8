/** What the console is told of the app it belongs to, and what the app has of its console. */
import type { TrustedProxies } from '../../http/forwarded.js'
import type { NodeExchange } from '../../http/node-exchange.js'
import type { Channel } from '../../observe/channel.js'
import type { Secrets } from '../../observe/secrets.js'
import type { DevConsoleOptions } from '../../options/options.js'
import type { CodePlace } from '../wire/request-types.js'
import type { Fact } from '../wire/view-types.js'

export interface HostEndpoint {
  readonly route: string
  readonly handler: string
  readonly method: string
  readonly path: string
  readonly at: CodePlace | null
  /** As they would be written: `@log`. */
  readonly decorators: readonly string[]
  readonly constraint: string | null
  readonly isDeprecated: boolean
  /** Where it stands in the OpenAPI document: key in `paths`, key of the operation; `null` where that leaves it out. */
  readonly operation: readonly [path: string, method: string] | null
  readonly vendor: string | null
  /** What is probably not meant, as sentences. */
  readonly warnings: readonly string[]
  /** What may surprise and is in order, as sentences. */
  readonly notes: readonly string[]
}

export interface ConsoleHost {
  readonly name: string
  readonly version: string
  /** Whether everybody needs a token; otherwise browsers on this machine need none. */
  readonly isGuarded: boolean
  /** Why it is open, or needs a token: what follows "because". */
  readonly reason: string
  /** Whether `NODE_ENV` is `development`, or the author has asked for the console without a token. */
  readonly isDevelopment: boolean
  readonly options: DevConsoleOptions
  readonly proxies: TrustedProxies
  readonly channel: Channel
  readonly secrets: Secrets
  /** In the order of registration: each stands at its number. */
  readonly endpoints: readonly HostEndpoint[]
  /** Name of the header that names a version, how that place is called, and the version of requests that name none. */
  readonly versioning: { readonly header: string | null; readonly place: string; readonly fallback: string }
  /** Where the app serves its OpenAPI document; `null` when it does not. */
  readonly openapiPath: string | null
  readonly facts: readonly Fact[]
  /** The OpenAPI document of all endpoints, whatever version they answer. */
  openapi(): object
  print(level: 'info' | 'warn', message: string): void
}

export interface MountedConsole {
  answers(exchange: NodeExchange): boolean
  opened(url: string | undefined): void
  /** The app closes: streams end, nothing is followed any more. */
  close(): void
}
