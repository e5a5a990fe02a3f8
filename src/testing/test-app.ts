/** `testApp`: runs an app in memory for tests. */
import { inspect } from 'node:util'
import type { App, AdditionalServices } from '../app/app-types.js'
import type { ClientOf } from '../client/client-types.js'
import { createClient } from '../client/create-client.js'
import { toHttpError } from '../errors/foreign-error.js'
import { setupErrorsFrom } from '../errors/setup-error.js'
import { DocumentedResponses, type MissingResponse } from './documented-responses.js'
import { Variant, type TestedRequest, type TestOptions, type TestRequestOptions } from './variant.js'

/** An app in memory. You can destructure it: `const { api, fetch } = await testApp(app)`. */
export interface TestApp<R = unknown, S = object, Format = unknown> extends AsyncDisposable {
  /** Typed client of the app. */
  readonly api: ClientOf<R, Format>
  /**
   * Handles a request, a URL, or a path with query. Throws a `TestFailure` if the response is not in the OpenAPI document. `{ ip }` as the
   * third argument changes the address of the client for this request.
   */
  readonly fetch: (input: Request | string, init?: RequestInit, options?: TestRequestOptions) => Promise<Response>
  /** Services of the test app, including replaced ones. */
  readonly services: S & AdditionalServices
  /** Returns documented responses that no test app of this app has sent yet in this process. Excludes errors of the framework. */
  readonly report: () => MissingResponse[]
  /** Closes the test app, as `await using` does. Throws a `TestFailure` if provider cleanup or a request is not done. */
  readonly close: () => Promise<void>
}

/** Error of a test app: thrown if a response is not in the OpenAPI document, and by `close` if work is not done. */
export class TestFailure extends Error {
  /**
   * @param message what failed and how to fix it
   * @param options `cause`: the error that caused this one
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TestFailure'
  }
}

const BASE = 'http://localhost'

/** Received responses by app, because all test apps of an app share their report. */
const reports = new WeakMap<object, DocumentedResponses>()

/**
 * Creates an app in memory for a test, with the routes and options of an app and with replaced services and providers. The original app
 * is neither started nor closed. Each test app creates its own `service(…)`, but shares plain values with the app.
 *
 * @param app app created by `createApp`
 * @param options replaced services and providers, and the comparison of responses with the OpenAPI document
 * @returns the typed client, `fetch` and more, after all services are created
 * @throws SetupError `TEST_INVALID` if a replaced service or provider is not in use, `OPTION_INVALID`, and as for `start`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { testApp } from 'verbena/testing'
 *
 * class Greeting extends Route<{ words: { hello: string } }> {
 *   static readonly path = '/greetings/{name}'
 *   static readonly get = this.contract({ summary: 'Say hello' })
 *   async get({ params }: Input<typeof Greeting.get>) {
 *     return `${this.words.hello} ${params.name}`
 *   }
 * }
 * const app = createApp({ services: { words: { hello: 'hello' } }, routes: { Greeting } })
 *
 * await using test = await testApp(app, { services: { words: { hello: 'hallo' } } })
 * const answer = await test.api('/greetings/{name}').get({ params: { name: 'Ada' } })
 * answer.body // => 'hallo Ada'
 * ```
 */
export function testApp<R, S, Format>(
  app: App<R, S, Format>,
  options: TestOptions<S> = {},
): Promise<TestApp<R, S, Format>> {
  return setupErrorsFrom(testApp, () => startVariant(app, options))
}

async function startVariant<R, S, Format>(
  app: App<R, S, Format>,
  options: TestOptions<S>,
): Promise<TestApp<R, S, Format>> {
  const variant = new Variant<R, S>(app, options)
  const { strict = true } = options
  const headers = strict === true ? [] : strict && strict.headers.map((name) => name.toLowerCase())
  const documentedResponses = reports.get(variant.source) ?? new DocumentedResponses(variant.source)
  reports.set(variant.source, documentedResponses)
  await variant.start()
  const ask = async (request: Request, options?: TestRequestOptions): Promise<Response> => {
    const response = await variant.ask(request, options)
    await checkOutcome(response, documentedResponses, headers)
    return response.response
  }
  const close = async (): Promise<void> => {
    const unfinished = await variant.close()
    if (unfinished.length === 0) return
    const fix = 'Read or cancel each response, and wait for pending requests'
    throw new TestFailure(`Cannot close the test app: ${unfinished.join('; ')}. ${fix}`)
  }
  return {
    // Proof: `ClientOf` is the type of the client for the same routes.
    api: createClient<App<R, S, Format>>(BASE, { fetch: ask }) as ClientOf<R, Format>,
    fetch: (input, init, options) =>
      ask(new Request(typeof input === 'string' ? new URL(input, BASE) : input, init), options),
    services: variant.app.services,
    report: () => documentedResponses.missing(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Throws if the response is not in the OpenAPI document.
 *
 * @param known names of additional headers; `false` disables the comparison
 */
async function checkOutcome(
  tested: TestedRequest,
  documented: DocumentedResponses,
  known: readonly string[] | false,
): Promise<void> {
  const { response, call, fault } = tested
  documented.note(tested)
  if (known === false) return
  const where = `${call.exchange.method} ${call.endpoint?.path ?? call.path}: ${response.status}`
  if (fault !== undefined) {
    const state = `because its error format failed: ${formatThrown(fault)}`
    const failure = new TestFailure(`Cannot accept the response to ${where}, ${state}\nFix "write" or "schema"`, {
      cause: fault,
    })
    throw withCauseStack(fault, failure)
  }
  // A compressed body is not compared: a test gets one only if it asks for it.
  const isPlain = !response.headers.has('content-encoding')
  const isJson = isPlain && /[/+]json/.test(response.headers.get('content-type') ?? '')
  const text = isJson ? await response.clone().text() : ''
  const violation = documented.findViolation(tested, parseIfJson(text), known)
  if (violation === undefined) return
  throw createFailure({ where, status: response.status, violation, cause: call.reply.error })
}

/** Returns `undefined` for a string that is not JSON, such as a range of a file. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function createFailure({
  where,
  status,
  violation,
  cause,
}: {
  where: string
  status: number
  violation: string
  cause: unknown
}): Error {
  if (status < 500 || cause === undefined || toHttpError(cause) !== undefined) {
    return new TestFailure(`Cannot accept the response to ${where}, because ${violation}`, { cause })
  }
  // Test reporters print the message, and the TAP reporter does not print the cause.
  return withCauseStack(cause, new TestFailure(`${where}, because of ${formatThrown(cause)}`, { cause }))
}

/** Formats a thrown value as the first lines of its stack. */
function formatThrown(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : inspect(thrown)
}

/** Shows where the cause was thrown, instead of where responses are compared. */
function withCauseStack(cause: unknown, failure: TestFailure): TestFailure {
  const stack = cause instanceof Error ? String(cause.stack) : ''
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line))
  if (frames.length > 0) failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join('\n')
  return failure
}
