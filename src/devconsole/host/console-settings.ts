/** The settings of a console: its options with what holds where they say nothing. */
import { TrustedProxies } from '../../http/forwarded.js'
import { compileGlob } from '../wire/filter-values.js'
import type { ConsoleHost } from './console-host.js'

export type BodyCapture = 'text' | 'off' | 'raw'

export interface ConsoleSettings {
  readonly slow: number
  readonly stall: number
  readonly editor: string | null
  readonly captureBodies: BodyCapture
  readonly captureConsole: boolean
  /** Tells whether a path is not recorded; `null` where all are. */
  readonly ignores: ((path: string) => boolean) | null
  /** Tells whether an address beyond this machine may see the console. */
  readonly allows: (address: string) => boolean
  readonly proxies: TrustedProxies
  readonly allowedHosts: ReadonlySet<string>
  readonly isShared: boolean
}

export const BASE = '/__dev__'
/** Longer ones are cut: nobody needs them, and matching takes time for each `*`. */
const MAX_GLOB_LENGTH = 200

export function readConsoleSettings(host: Pick<ConsoleHost, 'options' | 'isDevelopment' | 'proxies'>): ConsoleSettings {
  const { options, isDevelopment, proxies } = host
  const { allow = [], allowedHosts = [], ignore = [], slow = 800, stall = 200, editor = null } = options
  const peers = new TrustedProxies(allow)
  const isShared = allow.length > 0
  const globs = ignore.map((glob) => compileGlob(glob.slice(0, MAX_GLOB_LENGTH)))
  return {
    slow,
    stall,
    editor,
    captureConsole: options.captureConsole === true,
    // Where others can see the page, what was sent is theirs only when somebody has said so.
    captureBodies: options.captureBodies ?? (isDevelopment && !isShared ? 'text' : 'off'),
    ignores: globs.length === 0 ? null : (path) => globs.some((matches) => matches(path)),
    allows: (address) => isShared && peers.trusts(address),
    allowedHosts: new Set(allowedHosts.map((name) => name.toLowerCase())),
    isShared,
    proxies,
  }
}
