/** Helpers for apps in tests: requests without a socket, a log in memory, and options that the types reject. */
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

/** A response with its complete body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON of the body; a string if the body is not JSON. */
  readonly body: unknown
}

/** Sends a request to an app without a socket. */
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

/** Builds a request with a JSON body; `method` defaults to POST. */
export function json(value: unknown, method = 'POST'): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string | undefined
}

/** Whether a log line reports that the fast path is off. Such lines are dropped, so that tests also pass with `--documented`. */
export function isOfFastPath(message = ''): boolean {
  return message.includes('Fast path disabled')
}

/** Whether a log line contains the link to the console. Such lines are dropped, so that the e2e tests also pass with `--console`. */
function isOfConsole(message = ''): boolean {
  return message.startsWith('Console (')
}

/** Whether a log line reports the start or end of an app in production. Such lines are dropped, because every test of a server has them. */
function isOfLifecycle(message = ''): boolean {
  return message === 'App started' || message === 'App closed'
}

/** Creates a logger that stores its lines. */
export function captureLog(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = []
  const write = (level: Line['level']) => (fields: object, message?: string) => {
    if (!isOfFastPath(message) && !isOfConsole(message) && !isOfLifecycle(message))
      lines.push({ level, fields: { ...fields }, message })
  }
  return {
    lines,
    logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  }
}

/** Calls `createApp` with options that the types reject. Logging is off by default. */
export function createUntypedApp(options: object): App {
  const make: unknown = createApp
  // Proof: only the types restrict the options; at run time `createApp` accepts any object.
  return (make as (given: object) => App)({ logger: false, ...options })
}

/** Calls `group` with options that the types reject. */
export function looseGroup(options: object): Group<unknown> {
  const make: unknown = group
  // Proof: as above.
  return (make as (given: object) => Group<unknown>)(options)
}

/** Calls `this.contract(…)` with a contract that the types reject. */
export function looseContract(owner: { readonly name: string }, spec: unknown): Contract {
  const make: unknown = Route.contract
  // Proof: as above.
  return (make as (this: object, given: unknown) => Contract).call(owner, spec)
}

/** Asserts that a task throws a setup error with this code, and that the message contains or matches each of `texts`. */
export function assertSetupError(task: () => unknown, code: SetupCode, ...texts: readonly (string | RegExp)[]): void {
  assert.throws(task, (error: unknown) => {
    assert.ok(error instanceof SetupError, String(error))
    assert.equal(error.code, code, error.message)
    assert.match(error.message, /^Cannot /)
    assert.doesNotMatch(error.message, /\.$/)
    for (const text of texts) {
      const isSaid = typeof text === 'string' ? error.message.includes(text) : text.test(error.message)
      assert.ok(isSaid, `"${error.message}" does not match ${String(text)}`)
    }
    return true
  })
}

/** Returns a promise and the function that resolves it. */
export function createGate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Responds with the request that it received. */
export const echo = async (request: Request): Promise<Response> => {
  const { method, url, headers, body } = request
  return Response.json({
    method,
    url,
    hasBody: body !== null,
    text: await request.text(),
    headers: Object.fromEntries(headers),
  })
}

export interface EchoBody {
  readonly method: string
  readonly url: string
  readonly hasBody: boolean
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export type EchoApp = Pick<App, 'fetch' | 'listen'> & AsyncDisposable

export async function readEcho(app: EchoApp, target: string, init?: RequestInit): Promise<EchoBody> {
  const answer = await sendRequest(app, target, init)
  assert.equal(answer.status, 200, answer.text)
  // Proof: `echo` creates the body.
  return answer.body as EchoBody
}
