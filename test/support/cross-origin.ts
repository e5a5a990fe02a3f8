/** What a browser makes of an app for a page of another origin: the checks of the Fetch standard, without a browser. */
import type { App } from 'verbena'

/** A page that asks. */
export interface Page {
  readonly origin: string
  /** Whether it asks with cookies; `false` unless given. */
  readonly credentials?: boolean
}

/** What a page asks for. */
export interface PageRequest {
  readonly target: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What the page gets to see. */
export interface Seen {
  /** Status of the answer; `null` where the browser does not show it. */
  readonly status: number | null
  /** Whether the browser asked before; then with this status. */
  readonly preflight: number | null
  /** Names of the fields that scripts may read. */
  readonly readable: readonly string[]
  /** All fields of the answer. */
  readonly headers: Headers
}

const SAFE_METHODS = ['GET', 'HEAD', 'POST']
const SAFE_NAMES = ['accept', 'accept-language', 'content-language']
const SAFE_TYPE = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)(?:;|$)/
const ALWAYS_READABLE = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
]

/** Asks as a browser does for a page: first by a preflight, where it has to. */
export async function askAsPage(app: Pick<App, 'fetch'>, page: Page, asked: PageRequest): Promise<Seen> {
  const { target, method = 'GET', headers = {}, body } = asked
  const { origin } = page
  const url = `http://localhost${target}`
  const unsafe = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .filter((name) => !SAFE_NAMES.includes(name) && !(name === 'content-type' && SAFE_TYPE.test(headers[name] ?? '')))
    .toSorted()
  let preflight: Response | null = null
  if (unsafe.length > 0 || !SAFE_METHODS.includes(method)) {
    const names = unsafe.length === 0 ? {} : { 'access-control-request-headers': unsafe.join(',') }
    const question = { origin, 'access-control-request-method': method, ...names }
    preflight = await app.fetch(new Request(url, { method: 'OPTIONS', headers: question }))
    const isAllowed = isShared(preflight.headers, page) && permits(preflight.headers, page, method, unsafe)
    if (!preflight.ok || !isAllowed) return seen(null, preflight, preflight.headers, [])
  }
  const response = await app.fetch(new Request(url, { method, headers: { ...headers, origin }, body: body ?? null }))
  await response.arrayBuffer()
  if (!isShared(response.headers, page)) return seen(null, preflight, response.headers, [])
  return seen(response.status, preflight, response.headers, readable(response.headers, page))
}

function seen(status: number | null, preflight: Response | null, headers: Headers, names: readonly string[]): Seen {
  return { status, preflight: preflight?.status ?? null, readable: names, headers }
}

/** The CORS check (section 4.10). */
export function isShared(headers: Headers, { origin, credentials = false }: Page): boolean {
  const allowed = headers.get('access-control-allow-origin')
  if (allowed === '*' && !credentials) return true
  if (allowed !== origin) return false
  return !credentials || headers.get('access-control-allow-credentials') === 'true'
}

/** What a preflight must say (section 4.8, steps 7 and following). */
function permits(headers: Headers, { credentials = false }: Page, method: string, unsafe: readonly string[]): boolean {
  const methods = listOf(headers, 'access-control-allow-methods')
  const names = listOf(headers, 'access-control-allow-headers').map((name) => name.toLowerCase())
  const any = (list: readonly string[]): boolean => !credentials && list.includes('*')
  const isMethod = SAFE_METHODS.includes(method) || methods.includes(method) || any(methods)
  return isMethod && unsafe.every((name) => names.includes(name) || (name !== 'authorization' && any(names)))
}

function readable(headers: Headers, { credentials = false }: Page): string[] {
  const exposed = listOf(headers, 'access-control-expose-headers').map((name) => name.toLowerCase())
  const isAll = exposed.includes('*') && !credentials
  return [...headers.keys()].filter((name) => isAll || ALWAYS_READABLE.includes(name) || exposed.includes(name))
}

function listOf(headers: Headers, name: string): string[] {
  const value = headers.get(name)
  return value === null ? [] : value.split(',').map((each) => each.trim())
}
