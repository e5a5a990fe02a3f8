/** Settings of a console: its options with their defaults. */
import { TrustedProxies } from '../../http/forwarded.js'
import { compileGlob } from '../wire/filter-values.js'
import type { ConsoleHost } from './console-host.js'

export type BodyCapture = 'text' | 'off' | 'raw'
/** `header`: links to records are in response headers and in the log; `log`: only in the log. */
type LinkPlaces = 'header' | 'log' | 'off'

export interface ConsoleSettings {
  readonly slow: number
  readonly stall: number
  readonly editor: string | null
  readonly captureBodies: BodyCapture
  /** Maximum number of characters of a JSON response body. */
  readonly bodyLimit: number
  readonly captureConsole: boolean
  readonly links: LinkPlaces
  /** Whether a path is not recorded; `null` if all paths are recorded. */
  readonly ignores: ((path: string) => boolean) | null
  /** Whether an address outside of this machine may open the console. */
  readonly allows: (address: string) => boolean
  readonly proxies: TrustedProxies
  readonly allowedHosts: ReadonlySet<string>
  readonly isShared: boolean
}

/** Longer patterns are cut, because matching takes time for each `*`. */
const MAX_GLOB_LENGTH = 200
const [DEFAULT_BODY_LIMIT, MAX_BODY_LIMIT] = [256 * 1024, 1024 * 1024]

export function readConsoleSettings(host: Pick<ConsoleHost, 'options' | 'isDevelopment' | 'proxies'>): ConsoleSettings {
  const { options, isDevelopment, proxies } = host
  const { allow = [], allowedHosts = [], ignore = [], slow = 200, stall = 200, editor = null } = options
  const { bodyLimit = DEFAULT_BODY_LIMIT } = options
  const peers = new TrustedProxies(allow)
  const isShared = allow.length > 0
  const globs = ignore.map((glob) => compileGlob(glob.slice(0, MAX_GLOB_LENGTH)))
  return {
    slow,
    stall,
    editor,
    bodyLimit: Math.min(bodyLimit, MAX_BODY_LIMIT),
    captureConsole: options.captureConsole === true,
    links: linkPlaces(options.header, isDevelopment),
    // If other machines can open the page, bodies are captured only if the option is set.
    captureBodies: options.captureBodies ?? (isDevelopment && !isShared ? 'text' : 'off'),
    ignores: globs.length === 0 ? null : (path) => globs.some((matches) => matches(path)),
    allows: (address) => isShared && peers.trusts(address),
    allowedHosts: new Set(allowedHosts.map((name) => name.toLowerCase())),
    isShared,
    proxies,
  }
}

/** Without a known mode, clients of a deployed app would get the header. */
function linkPlaces(header: boolean | undefined, isDevelopment: boolean): LinkPlaces {
  if (header ?? isDevelopment) return 'header'
  return isDevelopment ? 'log' : 'off'
}
