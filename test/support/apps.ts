/** Apps in tests: asking them without a socket, taking their log, and putting them together with mistakes. */
import assert from 'node:assert/strict'
import {
  createApp,
  group,
  Route,
  SetupError,
  type App,
  type Contract,
  type Group,
  type Logger,
  type SetupCode,
} from 'verbena'

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON of the body, or its text when it is not JSON. */
  readonly body: unknown
}

/** Asks an app without a socket. */
export async function sendRequest(app: Pick<App, 'fetch'>, target: string, init: RequestInit = {}): Promise<Answer> {
  const response = await app.fetch(new Request(`http://localhost${target}`, init))
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}

/** A request with a JSON body; POST unless said otherwise. */
export function json(value: unknown, method = 'POST'): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** One line of a log. */
export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string | undefined
}

/** A run of all tests on the documented path (`--documented`) has no other lines than one on the fast path. */
export function isOfFastPath(message = ''): boolean {
  return message.includes('The fast path is off')
}

/** The line with the link of the console. A run of the e2e tests with the console (`--console`) has no other lines than one without. */
function isOfConsole(message = ''): boolean {
  return message.startsWith('Console (')
}

/** A logger that keeps its lines. */
export function captureLog(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = []
  const write = (level: Line['level']) => (fields: object, message?: string) => {
    if (!isOfFastPath(message) && !isOfConsole(message)) lines.push({ level, fields: { ...fields }, message })
  }
  return {
    lines,
    logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  }
}

/** `createApp` for what the compiler would refuse; silent unless it brings a logger. */
export function createUntypedApp(options: object): App {
  const make: unknown = createApp
  // Proof: the parameter is what the types narrow; at run time it is any object.
  return (make as (given: object) => App)({ logger: false, ...options })
}

/** `group` for what the compiler would refuse. */
export function looseGroup(options: object): Group<unknown> {
  const make: unknown = group
  // Proof: as above.
  return (make as (given: object) => Group<unknown>)(options)
}

/** `this.contract(…)` for what the compiler would refuse. */
export function looseContract(owner: { readonly name: string }, spec: unknown): Contract {
  const make: unknown = Route.contract
  // Proof: as above.
  return (make as (this: object, given: unknown) => Contract).call(owner, spec)
}

/** Asserts that something is refused with a code, and that its text says all that is asked of it. */
export function assertSetupError(task: () => unknown, code: SetupCode, ...texts: readonly (string | RegExp)[]): void {
  assert.throws(task, (error: unknown) => {
    assert.ok(error instanceof SetupError, String(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, /^Cannot /)
    assert.doesNotMatch(error.message, /\.$/)
    for (const text of texts) {
      const isSaid = typeof text === 'string' ? error.message.includes(text) : text.test(error.message)
      assert.ok(isSaid, `"${error.message}" does not say ${String(text)}`)
    }
    return true
  })
}

/** A promise, and the way to fulfil it. */
export function createGate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
