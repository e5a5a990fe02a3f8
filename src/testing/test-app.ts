/** `testApp`: an app in memory, for tests. */
import { inspect } from 'node:util'
import type { App, AdditionalServices } from '../app/app-types.js'
import type { ClientOf } from '../client/client-types.js'
import { createClient } from '../client/create-client.js'
import { HttpError } from '../errors/http-error.js'
import { setupErrorsFrom } from '../errors/setup-error.js'
import { DocumentedAnswers, type MissingResponse } from './documented-responses.js'
import { Variant, type TestedRequest, type TestOptions } from './variant.js'

/** An app in memory. All of it can be taken apart: `const { api, fetch } = await testApp(app)`. */
export interface TestApp<R = unknown, S = object, Format = unknown> extends AsyncDisposable {
  /** The typed client of the app. */
  readonly api: ClientOf<R, Format>
  /** Answers a request, a URL, or a path with query; throws a `TestFailure` where the answer is not in the document. */
  readonly fetch: (input: Request | string, init?: RequestInit) => Promise<Response>
  /** The services, made: those that were replaced and all others. */
  readonly services: S & AdditionalServices
  /** The answers in the document, without the framework's own, that no test app of this app has given so far in this process. */
  readonly report: () => MissingResponse[]
  /** Closes the app, as `await using` does; throws a `TestFailure` where a provider has not ended, or a call is not done. */
  readonly close: () => Promise<void>
}

/** Thrown by a test app: by a call whose answer is not in the document, and by `close` where something was left open. */
export class TestFailure extends Error {
  /**
   * @param message what cannot be, and the way out
   * @param options `cause`, where an error is behind it
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TestFailure'
  }
}

const BASE = 'http://localhost'

/** By the options of the app: all test apps of an app report together. */
const reports = new WeakMap<object, DocumentedAnswers>()

/**
 * Makes an app for a test: the routes and options of the app with other services and providers, in memory. The app itself is not
 * touched: it is neither started nor closed, and its services are made anew where `service(…)` makes them.
 *
 * @param app made by `createApp`
 * @param options what is replaced, and how closely answers are compared with the document
 * @returns the typed client, `fetch` and what else a test needs, once the services are made
 * @throws SetupError `TEST_INVALID` where there is nothing to replace, `OPTION_INVALID`, `SERVICE_FAILED`
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
  const answers = reports.get(variant.source) ?? new DocumentedAnswers(variant.source)
  reports.set(variant.source, answers)
  await variant.app.start()
  const ask = async (request: Request): Promise<Response> => {
    const response = await variant.ask(request)
    await checkOutcome(response, answers, headers)
    return response.response
  }
  const close = async (): Promise<void> => {
    const unfinished = await variant.close()
    if (unfinished.length === 0) return
    const fix = 'Read each answer to its end, or cancel it, and let what is begun end'
    throw new TestFailure(`Cannot close the test app: ${unfinished.join('; ')}. ${fix}`)
  }
  return {
    // Proof: `ClientOf` computes the same of the routes of the app.
    api: createClient<App<R, S, Format>>(BASE, { fetch: ask }) as ClientOf<R, Format>,
    fetch: (input, init) => ask(new Request(typeof input === 'string' ? new URL(input, BASE) : input, init)),
    services: variant.app.services,
    report: () => answers.missing(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** `known` is `false` where answers are not compared with the document. */
async function checkOutcome(
  asked: TestedRequest,
  answers: DocumentedAnswers,
  known: readonly string[] | false,
): Promise<void> {
  const { response, call, fault } = asked
  answers.note(asked)
  if (known === false) return
  const where = `${call.exchange.method} ${call.endpoint?.path ?? call.path}: ${response.status}`
  if (fault !== undefined) {
    const state = `and its error format failed: ${formatThrown(fault)}`
    const failure = new TestFailure(`Cannot accept the answer of ${where}, ${state}\nFix "write" or "schema"`, {
      cause: fault,
    })
    throw withCauseStack(fault, failure)
  }
  // A compressed body is not compared: a test gets one only if it asks for it.
  const isPlain = !response.headers.has('content-encoding')
  const isJson = isPlain && /[/+]json/.test(response.headers.get('content-type') ?? '')
  const text = isJson ? await response.clone().text() : ''
  const flaw = answers.flawOf(asked, text === '' ? undefined : JSON.parse(text), known)
  if (flaw === undefined) return
  throw createFailure({ where, status: response.status, flaw, cause: call.reply.error })
}

function createFailure({
  where,
  status,
  flaw,
  cause,
}: {
  where: string
  status: number
  flaw: string
  cause: unknown
}): Error {
  if (status < 500 || cause === undefined || cause instanceof HttpError) {
    return new TestFailure(`Cannot accept the answer of ${where}, and ${flaw}`, { cause })
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
