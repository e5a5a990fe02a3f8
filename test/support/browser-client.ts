/** A browser without a page: requests over sockets, and a cookie jar. */
import { after, before, beforeEach } from 'node:test'
import type { App } from 'verbena'
import type { SessionStore } from 'verbena/session'
import { memorySessions } from '#src/features/stores/memory/sessions.js'
import { askWire, type WireAnswer } from '#test/e2e.js'

/** Headers and body of a request. */
export interface VisitorRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

export const KEY = 'a text of 32 bytes, for tests ...'
/** Another key, for tests of key rotation. */
export const OTHER_KEY = 'another one, for keys that change'

/** A client that stores cookies as a browser does. */
export class Visitor {
  /** Cookie values by name. */
  readonly cookies = new Map<string, string>()
  /** Port of 127.0.0.1. */
  port: number

  constructor(port: number) {
    this.port = port
  }

  /** Sends a request with the stored cookies, and stores the cookies of the response. */
  async ask(method: string, target: string, { headers = {}, body }: VisitorRequest = {}): Promise<WireAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ofBody = body === undefined ? {} : { 'content-type': 'application/json' }
    const all = { ...(cookie === '' ? {} : { cookie }), ...ofBody, ...headers }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await askWire(this.port, { method, target, headers: all, ...text })
    for (const line of setCookies(answer)) this.#keep(line)
    return answer
  }

  #keep(line: string): void {
    const { name, value } = readCookie(line)
    if (/; Max-Age=0(?:;|$)/.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** Creates a client of an app for all tests of a file. Starts and closes the app; each test begins without cookies. */
export function createVisitor(app: App): Visitor {
  const visitor = new Visitor(0)
  before(async () => {
    const { port } = await app.listen({ port: 0, host: '127.0.0.1' })
    visitor.port = port
  })
  after(() => app.close())
  beforeEach(() => visitor.cookies.clear())
  return visitor
}

/** Returns the `Set-Cookie` lines of a response. */
export function setCookies({ headers }: Pick<WireAnswer, 'headers'>): string[] {
  return headers.get('set-cookie')?.split('\n') ?? []
}

/** Parses the name and value of a `Set-Cookie` line. */
export function readCookie(line: string): { readonly name: string; readonly value: string } {
  const [pair = ''] = line.split(';')
  const end = pair.indexOf('=')
  return { name: pair.slice(0, end), value: pair.slice(end + 1) }
}

/** Creates a store that records its calls. */
export function notingStore(calls: string[], kept: SessionStore = memorySessions()): SessionStore {
  const noted = <T>(call: string, value: T): T => {
    calls.push(call)
    return value
  }
  return {
    get: (key) => noted('get', kept.get(key)),
    set: (key, text, end, write) => noted(`set ${write}`, kept.set(key, text, end, write)),
    delete: (key) => noted('delete', kept.delete(key)),
    touch: (key, end) => noted('touch', kept.touch(key, end)),
  }
}
