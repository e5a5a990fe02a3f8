/** Sends requests as a browser does for a page of another origin, with the CORS checks of the Fetch standard, but without a browser. */
import type { App } from 'verbena'

/** The page that sends the request. */
export interface Page {
  readonly origin: string
  /** Whether requests include cookies; default `false`. */
  readonly credentials?: boolean
}

export interface PageRequest {
  readonly target: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Data that the browser shows to the page. */
export interface Seen {
  /** Status of the response; `null` if the browser hides the response from the page. */
  readonly status: number | null
  /** Status of the preflight; `null` if none was sent. */
  readonly preflight: number | null
  /** Names of the headers that scripts may read. */
  readonly readable: readonly string[]
  /** All headers of the response. */
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

/** Sends a request as a browser does, with a preflight before it if the request requires one. */
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

/** Whether a response passes the CORS check (Fetch standard, section 4.10). */
export function isShared(headers: Headers, { origin, credentials = false }: Page): boolean {
  const allowed = headers.get('access-control-allow-origin')
  if (allowed === '*' && !credentials) return true
  if (allowed !== origin) return false
  return !credentials || headers.get('access-control-allow-credentials') === 'true'
}

/** Whether a preflight response allows the method and the headers (section 4.8, from step 7). */
function permits(headers: Headers, { credentials = false }: Page, method: string, unsafe: readonly string[]): boolean {
  const methods = parseList(headers, 'access-control-allow-methods')
  const names = parseList(headers, 'access-control-allow-headers').map((name) => name.toLowerCase())
  const any = (list: readonly string[]): boolean => !credentials && list.includes('*')
  const isMethod = SAFE_METHODS.includes(method) || methods.includes(method) || any(methods)
  return isMethod && unsafe.every((name) => names.includes(name) || (name !== 'authorization' && any(names)))
}

function readable(headers: Headers, { credentials = false }: Page): string[] {
  const exposed = parseList(headers, 'access-control-expose-headers').map((name) => name.toLowerCase())
  const isAll = exposed.includes('*') && !credentials
  return [...headers.keys()].filter((name) => isAll || ALWAYS_READABLE.includes(name) || exposed.includes(name))
}

function parseList(headers: Headers, name: string): string[] {
  const value = headers.get(name)
  return value === null ? [] : value.split(',').map((each) => each.trim())
}
