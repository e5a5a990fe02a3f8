/**
 * Decides which requests the console handles. Allowed requests still need a session, and actions need a token.
 *
 * @see docs/decisions/0014-who-sees-the-console.md
 */
import { UNIX } from '../../http/exchange.js'
import { isLoopback } from '../../http/forwarded.js'
import type { NodeExchange } from '../../http/node-exchange.js'
import { hostName, isConsoleClient, isConsoleHost } from '../host/console-access.js'
import type { ConsoleSettings } from '../host/console-settings.js'

type ConsoleClient = Pick<NodeExchange, 'method' | 'ip' | 'minorVersion' | 'rawHeaders' | 'header'>
type Methods = readonly string[]
type VisitorSettings = Pick<ConsoleSettings, 'proxies' | 'allows' | 'allowedHosts'>

export interface Verdict {
  /** Status of the response; 404 means that the app handles the request. */
  readonly status: 400 | 403 | 404 | 405
  readonly reason: string
  /** Setting that would allow the request; empty if it can never be allowed. */
  readonly fix: string
}

/** Headers that proxies, tunnels and CDNs add. Browsers and command-line clients do not send them. */
const FORWARDING: ReadonlySet<string> = new Set(
  [
    'forwarded forwarded-for via x-via client-ip x-real-ip x-real-port x-client-ip x-remote-ip x-remote-addr',
    'x-cluster-client-ip x-originating-ip x-proxyuser-ip proxy-client-ip wl-proxy-client-ip true-client-ip',
    'fastly-client-ip fly-client-ip x-appengine-user-ip x-nf-client-connection-ip cdn-loop front-end-https x-url-scheme',
    'x-scheme x-amzn-trace-id x-amz-cf-id x-host',
  ].flatMap((names) => names.split(' ')),
)
/** Prefixes of such headers. Only the prefix is logged, because clients could create many distinct reasons with full names. */
const FORWARDING_PREFIXES = [
  'x-forwarded',
  'x-original-',
  'x-envoy-',
  'x-azure-',
  'x-arr-',
  'x-vercel-',
  'cf-',
] as const
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Returns `null` if the request is allowed. `methods` is empty for an unknown path. `isPage`: users can open the path by its URL. */
export function checkVisitor(
  visitor: ConsoleClient,
  methods: Methods,
  isPage: boolean,
  settings: VisitorSettings,
): Verdict | null {
  return checkPeer(visitor, settings) ?? checkHost(visitor, settings) ?? checkSite(visitor, methods, isPage)
}

/** Whether a browser on this machine can have sent the request. Forwarding headers and HTTP/1.0 (nginx's default) indicate a proxy. */
export function isDirect({ ip, minorVersion, rawHeaders }: ConsoleClient): boolean {
  return minorVersion === 1 && isLoopback(ip) && findForwardingHeader(rawHeaders) === undefined
}

/** Rejects clients on other machines that are not allowed. For forwarded requests, only trusted proxies can report the client. */
function checkPeer(visitor: ConsoleClient, settings: VisitorSettings): Verdict | null {
  const { ip, rawHeaders } = visitor
  const { proxies } = settings
  const header = findForwardingHeader(rawHeaders)
  if (header !== undefined && !proxies.trusts(ip)) return rejection(404, `it was forwarded (${header})`)
  const client = proxies.clientOf(visitor)
  if (isConsoleClient(client, ip, settings)) return null
  return rejection(404, 'not loopback', `devConsole: { allow: ['${client}'], token: '…' }`)
}

function findForwardingHeader(rawHeaders: readonly string[]): string | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const forwarding = names.find((name) => FORWARDING.has(name))
  if (forwarding !== undefined) return forwarding
  const prefix = FORWARDING_PREFIXES.find((start) => names.some((name) => name.startsWith(start)))
  return prefix === undefined ? undefined : `${prefix}…`
}

/** Rejects unknown hosts, because the domain of an attacker can resolve to this machine (DNS rebinding). */
function checkHost({ rawHeaders }: ConsoleClient, settings: VisitorSettings): Verdict | null {
  if (headerValues(rawHeaders, 'host').length !== 1) return rejection(400, 'it has no Host, or more than one')
  const name = hostName(String(headerValue(rawHeaders, 'host')))
  if (isConsoleHost(name, settings)) return null
  const label = /^[a-z0-9.:[\]_-]{1,253}$/.test(name) ? name : '…'
  return rejection(403, `the host "${label}" is not known`, `devConsole: { allowedHosts: ['${label}'] }`)
}

/** Rejects cross-site requests, which a browser sends without the intent of its user. */
function checkSite({ method, rawHeaders }: ConsoleClient, methods: Methods, isPage: boolean): Verdict | null {
  if (method === 'OPTIONS') return rejection(403, 'OPTIONS asks for another site')
  const isRead = READS.has(method)
  const isTyped = isRead && (isPage || methods.length === 0)
  const reason = foreignOrigin(rawHeaders, isRead) ?? foreignSite(rawHeaders, isTyped)
  if (reason !== null) return rejection(403, reason)
  return methods.length === 0 || methods.includes(method) ? null : rejection(405, 'the method is another')
}

function foreignOrigin(rawHeaders: readonly string[], isRead: boolean): string | null {
  const origin = headerValue(rawHeaders, 'origin')
  if (origin === undefined) return null
  const host = String(headerValue(rawHeaders, 'host')).toLowerCase()
  if (origin !== `http://${host}` && origin !== `https://${host}`) return 'it comes from another origin'
  const isNamed = headerValue(rawHeaders, 'sec-fetch-site') !== undefined
  return isRead && !isNamed ? 'it names an origin and no site' : null
}

/** `none` means that the URL was typed or opened from a bookmark. */
function foreignSite(rawHeaders: readonly string[], mayBeTyped: boolean): string | null {
  const site = headerValue(rawHeaders, 'sec-fetch-site')
  if (site === undefined || site === 'same-origin' || (site === 'none' && mayBeTyped)) return null
  return site === 'none' ? 'only pages can be opened by their URL' : 'it comes from another site'
}

/** Returns `repeated` for a repeated header, because its values cannot be trusted. */
function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  const values = headerValues(rawHeaders, name)
  return values.length > 1 ? 'repeated' : values[0]
}

function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

function rejection(status: Verdict['status'], reason: string, fix = ''): Verdict {
  return { status, reason, fix }
}

const MINUTE = 60_000
/** Maximum number of reasons in memory. They can contain names that clients choose. */
const MAX_REASONS = 100

/** Returns a function that logs rejected requests: one line per reason and minute, so that a client cannot fill the log. */
export function rejectionLogger(print: (message: string) => void): (ip: string, verdict: Verdict) => void {
  const lastTimes = new Map<string, number>()
  return (ip, { reason, fix }) => {
    const now = performance.now()
    const lastTime = lastTimes.get(reason)
    if (lastTime !== undefined && now - lastTime < MINUTE) return
    if (lastTimes.size >= MAX_REASONS)
      for (const [oldReason, time] of lastTimes) if (now - time >= MINUTE) lastTimes.delete(oldReason)
    if (lastTimes.size >= MAX_REASONS) return
    lastTimes.set(reason, now)
    const allow = fix === '' ? '' : `. To allow: ${fix}`
    const peer = ip === '' || ip === UNIX ? 'a peer without an address' : ip
    print(`__dev__ rejected a request from ${peer}: ${reason}${allow}`)
  }
}
