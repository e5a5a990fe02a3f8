/** Somebody with a browser: requests over sockets, and a jar for cookies. */
import { after, before, beforeEach } from 'node:test'
import type { App } from 'verbena'
import type { SessionStore } from 'verbena/session'
import { memorySessions } from '#src/features/session/store.js'
import { askWire, type WireAnswer } from '#test/e2e.js'

/** What is asked beside method and target. */
export interface VisitorRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

/** A key for tests. */
export const KEY = 'a text of 32 bytes, for tests ...'
/** Another one. */
export const OTHER_KEY = 'another one, for keys that change'

/** A browser, as far as cookies go. */
export class Visitor {
  /** Values by name. */
  readonly cookies = new Map<string, string>()
  /** Of 127.0.0.1. */
  port: number

  constructor(port: number) {
    this.port = port
  }

  /** Asks with the cookies that are there, and keeps those that come. */
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

/** Somebody who visits an app in all tests of a file, each time without cookies. */
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

/** The lines of `Set-Cookie`. */
export function setCookies({ headers }: Pick<WireAnswer, 'headers'>): string[] {
  return headers.get('set-cookie')?.split('\n') ?? []
}

/** Name and value of a line of `Set-Cookie`. */
export function readCookie(line: string): { readonly name: string; readonly value: string } {
  const [pair = ''] = line.split(';')
  const end = pair.indexOf('=')
  return { name: pair.slice(0, end), value: pair.slice(end + 1) }
}

/** A store in memory that writes down what it is asked. */
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
