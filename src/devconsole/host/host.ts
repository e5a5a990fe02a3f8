/** What the console is told of the app it belongs to. */
import type { TrustedProxies } from '../../http/forwarded.js'
import type { Channel } from '../../observe/channel.js'
import type { Secrets } from '../../observe/secrets.js'
import type { DevConsoleOptions } from '../../options/options.js'
import type { Fact, RouteInfo } from '../wire/view-types.js'

export interface HostEndpoint extends RouteInfo {
  /** Vendor of the first schema of its contract. */
  readonly vendor: string | null
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
  readonly openapiPath: string | null
  readonly facts: readonly Fact[]
  /** The OpenAPI document of all endpoints, whatever version they answer. */
  openapi(): object
  print(level: 'info' | 'warn', message: string): void
}
