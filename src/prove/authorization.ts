/** `authorization`: calls every endpoint of an app as every actor, and compares the decisions with a file. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { App } from '../app/app-types.js'
import { startStackAtCaller } from '../errors/author-calls.js'
import { suggestion } from '../errors/known-keys.js'
import {
  anyRule,
  choiceRule,
  checkOptions,
  mandatory,
  objectRule,
  rangeRule,
  rule,
  stringListRule,
  stringRule,
  SWITCH,
  textRule,
  type Rules,
} from '../errors/options.js'
import { SetupError, setupErrorsFrom } from '../errors/setup-error.js'
import type { Call } from '../request/call.js'
import type { Endpoint } from '../request/endpoint.js'
import { readMode } from '../values/mode.js'
import { valueOr } from '../values/value-or.js'
import { checkActors, signIn, type ActorOption, type SignedActor } from './actors.js'
import {
  compareRow,
  fileError,
  formatMatrix,
  formatRow,
  parseMatrix,
  WRITE_IT,
  type MatrixRow,
} from './authorization-file.js'
import type { DenialReport } from './denials.js'
import { Matrix, type EndpointOutcome } from './matrix.js'
import { ObjectCheck, type ObjectProof } from './objects.js'
import { ProofApp, type ProofEndpoint, type ProofOverrides } from './proof-app.js'
import { findPlaces, formatPlace } from './source-places.js'
import { ProofFailure } from './proof-failure.js'
import { byCodeUnit } from './surface-text.js'
import type { Example } from './sample-request.js'
import { readRunSettings, runSubtest, type RunSettings } from './test-runner.js'

startStackAtCaller(authorization)

/** Options of `authorization`. */
export interface AuthorizationOptions<Services = object> {
  /** Who calls the endpoints, by name. */
  readonly actors: Readonly<Record<string, ActorOption<Services>>>
  /** Path of the file with the decisions, relative to the working directory, or a `file:` URL. */
  readonly file: string | URL
  /** Replaced services and providers, because guards may call services. */
  readonly overrides?: ProofOverrides<Services>
  /** Input that the schemas cannot provide, by the endpoint as the file names it, such as `POST /bookings`. */
  readonly examples?: Readonly<Record<string, Example>>
  /** Objects that belong to the actor who creates them, by a name for the report. Their requests run methods. */
  readonly objects?: Readonly<Record<string, ObjectProof>>
  /** Whether each endpoint is a subtest of `node:test`; default: if `node --test` runs the process. */
  readonly subtests?: boolean
}

/** A method of a service that guards called. */
export interface ServiceCall {
  /** Service and method, such as `users.find`. */
  readonly call: string
  /** Number of calls. */
  readonly count: number
}

/** Result of `authorization`. */
export interface AuthorizationReport {
  /** Content of the file. */
  readonly text: string
  /** Methods of services that guards called, sorted by name. */
  readonly services: readonly ServiceCall[]
  /** Requests with invalid credentials. */
  readonly denials: DenialReport
  /** Objects that the proof has created, such as `bookings 7, by ada with POST /bookings`. */
  readonly created: readonly string[]
}

/**
 * Calls every endpoint of an app as every actor, in memory. A request ends after the guards: middleware, guards, and the providers and
 * services that guards use run as in production, but no method runs and no body is read. The decisions are compared with a file: `reached`
 * if all guards accept the request, or 401, 403 or 404. For each guard with credentials, requests with invalid credentials follow, which it
 * must reject.
 *
 * Run the test once with `UPDATE=1` to write the file.
 *
 * @param app app created by `createApp`, not started
 * @param options actors, file, overrides and examples
 * @returns the content of the file, the called services, and the number of requests with invalid credentials
 * @throws SetupError `PROOF_INVALID`, `OPTION_INVALID`, and as for `testApp`
 * @throws ProofFailure if a decision differs or a guard accepts invalid credentials. With subtests, these fail instead
 *
 * @example
 * ```ts
 * import { mkdtempSync, writeFileSync } from 'node:fs'
 * import { tmpdir } from 'node:os'
 * import { join } from 'node:path'
 * import { bearer, createApp, Route } from 'verbena'
 * import { authorization } from 'verbena/prove'
 *
 * const user = bearer((token) => token === 'a1b2' && { name: 'ada' })
 * class Me extends Route {
 *   static readonly get = this.contract({ uses: { user } })
 *   async get() {
 *     return 'me'
 *   }
 * }
 * const app = createApp({ routes: { Me }, openapi: false })
 *
 * process.env['NODE_ENV'] = 'test' // many test runners set it
 * // `UPDATE=1 node --test` writes this file.
 * const file = join(mkdtempSync(join(tmpdir(), 'proof-')), 'authorization.txt')
 * const head = 'verbena authorization 1 (an owner check inside a method is seen only by the check of objects)'
 * writeFileSync(file, `${head}\nada      nobody   endpoint\nreached  401      GET /me\n`)
 *
 * const actors = { ada: { bearer: 'a1b2' }, nobody: {} }
 * const { denials } = await authorization(app, { actors, file, subtests: false })
 * denials.tried // => 7
 * ```
 */
export function authorization<R, S, Format>(
  app: App<R, S, Format>,
  options: AuthorizationOptions<S>,
): Promise<AuthorizationReport> {
  return setupErrorsFrom(authorization, () => prove<R, S>(app, options))
}

const EXAMPLE_INPUT: Rules<Omit<Example, 'status'>> = {
  params: objectRule("{ id: '7' }"),
  query: objectRule('{ page: 1 }'),
  headers: objectRule("{ 'x-tenant': 'acme' }"),
  cookies: objectRule("{ theme: 'dark' }"),
  body: anyRule("{ title: 'Notes' }"),
}
const PLACE = textRule((text) => /^(?:location|body(?:\.[^.]+)+)$/.test(text), "be 'location' or 'body.…'", "'body.id'")

const EXAMPLE: Rules<Example> = {
  ...EXAMPLE_INPUT,
  status: rangeRule([300, 599], '410'),
}

const OBJECT: Rules<ObjectProof> = {
  create: mandatory(
    objectRule("{ as: 'ada', call: 'POST /bookings', id: 'body.id' }", {
      ...EXAMPLE_INPUT,
      as: mandatory(stringRule("'ada'")),
      call: mandatory(stringRule("'POST /bookings'")),
      id: mandatory(PLACE),
    }),
  ),
  may: stringListRule("['admin']"),
  bind: objectRule("{ bookingId: 'body.id' }"),
  shared: stringListRule("['GET /bookings']"),
  existence: choiceRule(['hidden', 'public']),
}

const OVERRIDES: Rules<ProofOverrides<object>> = {
  services: objectRule('{ db }'),
  override: anyRule('[override(provider, () => value)]'),
}

const OPTIONS: Rules<AuthorizationOptions> = {
  actors: mandatory(objectRule("{ nobody: {}, ada: { bearer: tokenOf('ada') } }")),
  file: mandatory(
    rule(
      (value) => value instanceof URL || (typeof value === 'string' && value !== ''),
      'be the path of a file, or a file: URL',
      "'authorization.txt'",
    ),
  ),
  overrides: objectRule('{ services: { db } }', OVERRIDES),
  examples: objectRule("{ 'POST /bookings': { body: { … } } }"),
  objects: objectRule("{ bookings: { create: { as: 'ada', call: 'POST /bookings', id: 'body.id' } } }"),
  subtests: SWITCH,
}

async function prove<R, S>(app: unknown, options: AuthorizationOptions<S>): Promise<AuthorizationReport> {
  checkOptions(options, OPTIONS, 'authorization()')
  const { actors, overrides = {}, examples = {} } = options
  checkActors(actors)
  const settings = readRunSettings()
  refuseProcess(settings)
  const sorted = Object.entries(actors).toSorted(([one], [other]) => byCodeUnit(one, other))
  const names = sorted.map(([name]) => name)
  const file = options.file instanceof URL ? fileURLToPath(options.file) : options.file
  const knownMatrix = settings.isUpdate ? null : readMatrix(file, names)
  const proofApp = new ProofApp<R, S>(app, overrides)
  checkExamples(proofApp.endpoints, examples)
  await proofApp.start()
  try {
    const signed: SignedActor[] = []
    for (const [name, actor] of sorted) signed.push(await signIn(name, actor, proofApp.forActors))
    const { preparation } = proofApp.variant.parts
    const parts = { app: proofApp, preparation, actors: signed, examples }
    const [matrix, objects] = [new Matrix(parts), new ObjectCheck(parts)]
    const outcomes = await checkObjects(await matrix.run(), objects, options.objects ?? {})
    const rows = outcomes.flatMap(({ row }) => row ?? [])
    const text = formatMatrix(names, rows)
    if (knownMatrix === null && rows.length === outcomes.length) writeFileSync(file, text)
    const results =
      knownMatrix === null
        ? outcomes.map(({ target, findings }) => ({ ...target, findings }))
        : compareAll(knownMatrix, outcomes, { actors: names, file })
    const { tried, notTried } = matrix.denials
    await reportResults(results, options.subtests ?? settings.hasSubtests)
    return { text, services: listServices(matrix.serviceCalls), denials: { tried, notTried }, created: objects.created }
  } finally {
    await proofApp.close()
  }
}

/** Checks the objects, and adds the findings to their endpoints. */
async function checkObjects(
  outcomes: readonly EndpointOutcome[],
  check: ObjectCheck,
  objects: Readonly<Record<string, ObjectProof>>,
): Promise<readonly EndpointOutcome[]> {
  for (const [name, proof] of Object.entries(objects)) {
    checkOptions(proof, OBJECT, `the objects "${name}"`)
    await check.check(name, proof)
  }
  return outcomes.map((outcome) => {
    const findingTexts = check.findings.filter(({ target }) => target === outcome.target).map(({ text }) => text)
    return { ...outcome, findings: [...outcome.findings, ...findingTexts] }
  })
}

function refuseProcess({ isUpdate, isCi }: RunSettings): void {
  if (readMode() === 'production') {
    const fix = 'Run tests with another NODE_ENV, such as "test"'
    throw new SetupError('PROOF_INVALID', `Cannot run authorization(): NODE_ENV is "production". ${fix}`)
  }
  if (!isUpdate || !isCi) return
  const fix = 'Run the test with UPDATE=1 on your machine, and commit the file'
  throw new SetupError('PROOF_INVALID', `Cannot write the file of authorization(): CI is set. ${fix}`)
}

function readMatrix(file: string, actors: readonly string[]): ReadonlyMap<string, MatrixRow> {
  const text = valueOr(() => readFileSync(file, 'utf8'), undefined)
  if (text === undefined) throw fileError(file, 'the file cannot be read', `To write it, ${WRITE_IT}`)
  return parseMatrix(text, actors, file)
}

function checkExamples(endpoints: readonly ProofEndpoint[], examples: Readonly<Record<string, unknown>>): void {
  const labels = endpoints.map(({ label }) => label)
  if (labels.length === 0)
    throw new SetupError('PROOF_INVALID', 'Cannot run authorization(): the app has no endpoint. Add a route')
  for (const [label, example] of Object.entries(examples)) {
    if (!labels.includes(label)) {
      const state = `no endpoint has this name.${suggestion(label, labels)} The endpoints are ${labels.join(', ')}`
      throw new SetupError('PROOF_INVALID', `Cannot use the example "${label}" of authorization(): ${state}`)
    }
    checkOptions(example, EXAMPLE, `the example "${label}"`)
  }
}

/** Findings of an endpoint, or of a line of the file that no endpoint has. */
interface EndpointResult {
  readonly label: string
  /** `null` for a line without an endpoint. */
  readonly endpoint: Endpoint<Call> | null
  readonly findings: readonly string[]
}

function compareAll(
  known: ReadonlyMap<string, MatrixRow>,
  outcomes: readonly EndpointOutcome[],
  { actors, file }: { readonly actors: readonly string[]; readonly file: string },
): readonly EndpointResult[] {
  const labels = new Set(outcomes.map(({ target }) => target.label))
  const stale = [...known.values()].filter(({ label }) => !labels.has(label))
  return [
    ...outcomes.map((outcome) => {
      const { row, target, findings } = outcome
      const compared = row === null ? [] : compareRow(known.get(target.label), row, actors, file)
      return { ...target, findings: [...compared, ...findings] }
    }),
    ...stale.map((row) => {
      const finding = `${file} has a line for it, but the app has no such endpoint: "${formatRow(row)}". Remove it`
      return { label: row.label, endpoint: null, findings: [finding] }
    }),
  ]
}

async function reportResults(results: readonly EndpointResult[], hasSubtests: boolean): Promise<void> {
  const findClass = findClasses(results.filter(({ findings }) => findings.length > 0))
  const reports = results.map((result) => ({ label: result.label, lines: findingLines(result, findClass) }))
  if (!hasSubtests) return throwFindings(reports.flatMap(({ lines }) => lines))
  for (const { label, lines } of reports) await runSubtest(label, () => throwFindings(lines))
}

function findingLines(
  { label, endpoint, findings }: EndpointResult,
  findPlace: (endpoint: Endpoint<Call>) => string,
): string[] {
  /* c8 ignore next -- V8 counts only functions after the debugger has been used */
  const name = endpoint === null ? label : `${label} (${findPlace(endpoint)})`
  return findings.map((finding) => `${name}: ${finding}`)
}

/** Returns a function that describes the class of an endpoint, with its file and line if they are known. */
function findClasses(results: readonly EndpointResult[]): (endpoint: Endpoint<Call>) => string {
  const readClass = ({ create }: Endpoint<Call>): unknown => Object.getPrototypeOf(create)
  const places = findPlaces(results.flatMap(({ endpoint }) => (endpoint === null ? [] : [readClass(endpoint)])))
  return (endpoint) => {
    // In a context of `node:vm`, such as in Jest, the inspector finds no place.
    const place = places(readClass(endpoint))
    /* c8 ignore next -- V8 counts only functions after the debugger has been used */
    return place === null ? endpoint.route : `${endpoint.route} at ${formatPlace(place)}`
  }
}

/** Throws one error with all findings, because other test runners have no subtests. */
function throwFindings(lines: readonly string[]): void {
  if (lines.length > 0) throw new ProofFailure('Cannot accept the authorization of the app', lines)
}

function listServices(counts: ReadonlyMap<string, number>): readonly ServiceCall[] {
  return [...counts].toSorted(([one], [other]) => byCodeUnit(one, other)).map(([call, count]) => ({ call, count }))
}
