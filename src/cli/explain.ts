/** `verbena explain`: shows the steps of a request. */
import { HttpError } from '../errors/http-error.js'
import { WebExchange } from '../http/web-exchange.js'
import { PreconditionRecipe } from '../features/caching/precondition.js'
import { VERB_FACTS } from '../http/methods.js'
import type { ProviderPlan, ProviderStep } from '../injection/plan.js'
import type { ProviderRecipe } from '../injection/provide.js'
import { Call, type Flow } from '../request/call.js'
import type { Endpoint, Pipeline, Step, StepFacts } from '../request/endpoint.js'
import { findEndpoint, readHead, selectPipeline } from '../request/locate.js'
import { PIPELINE_STEPS, ROUTING, ROUTING_STEPS } from '../request/steps.js'
import { noop } from '../values/noop.js'
import { attempt, CommandError, EXIT, printResult, readStrings, type Command } from './command.js'
import { showEndpoints } from './endpoints.js'
import { formatExplanation, type Explanation, type ShownStep } from './explain-text.js'
import { loadApp, type LoadedApp } from './load-module.js'
import { warnWithoutPlaces } from './permission.js'
import { findPlaces } from '../prove/source-places.js'

export const explain: Command = {
  name: 'explain',
  summary: 'Show the steps of a request, in order',
  args: ['<module>', '<method>', '<path>'],
  options: {
    header: {
      type: 'string',
      short: 'H',
      multiple: true,
      value: '<line>',
      help: 'A request header, such as "Accept: text/html"',
    },
  },
  details:
    'Nothing is executed except routing. Each step is shown with the statuses that it may respond with instead of continuing, then the steps that this request does not need.',
  example: 'explain src/app.ts GET /users/1',
  async run(input, terminal) {
    const [module = '', method = '', path = ''] = input.args
    const request = toRequest(method, path, readStrings(input, 'header'))
    const explanation = explainRequest(await loadApp(module, terminal), request)
    warnWithoutPlaces(terminal)
    await printResult(input, explanation, () => formatExplanation(explanation, terminal), terminal)
    return EXIT.fine
  },
}

function toRequest(method: string, path: string, lines: readonly string[]): Request {
  if (!path.startsWith('/'))
    throw new CommandError(`Cannot explain "${path}": a path begins with "/". Write "GET /users"`)
  const headers = lines.map((line): [string, string] => {
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) return [name.trim(), value.trim()]
    throw new CommandError(`Cannot use the header "${line}": it has no colon. Write "--header 'Name: value'"`)
  })
  const cannot = `Cannot explain "${method} ${path}": `
  return attempt(cannot, () => new Request(`http://localhost${path}`, { method: method.toUpperCase(), headers }))
}

function explainRequest({ parts }: LoadedApp, request: Request): Explanation {
  const call = route(parts.state, request)
  const { endpoint, failure, pathMatch, exchange, path } = call
  const [shown = null] = showEndpoints(endpoint === null ? [] : [endpoint])
  selectPipeline(call)
  const runs = listRuns([ROUTING, call.pipeline])
  const hasVersions = pathMatch !== null && pathMatch.entry.versions !== null
  return {
    method: exchange.method,
    path,
    endpoint: shown,
    params: pathMatch?.params ?? {},
    version: pathMatch?.choice?.version ?? null,
    failure: failure === null ? null : describeFailure(failure.error),
    steps: showSteps(runs, endpoint, hasVersions),
    leftOut: stepEntries()
      .filter(({ entry }) => !runs.has(entry))
      .map(({ part, entry: { name, when = 'always' } }) => ({ part, name, when })),
  }
}

const NO_FLOW: Flow = { run: noop, abandon: noop, fail: noop }

/** Finds the endpoint of a request, as a running app does. */
function route(state: LoadedApp['parts']['state'], request: Request): Call {
  const call = new Call(new WebExchange(request, noop), state, NO_FLOW, ROUTING)
  try {
    readHead(call)
    findEndpoint(call)
  } catch (error) {
    call.failure = { error }
  }
  return call
}

function describeFailure(error: unknown): Explanation['failure'] {
  if (!(error instanceof HttpError)) return { status: 500, detail: String(error) }
  const { status, message, detail = message } = error
  return { status, detail }
}

/** Returns every entry with the part of the pipeline to which it belongs. */
function stepEntries(): { readonly part: string; readonly entry: StepFacts }[] {
  let current = ''
  return [...ROUTING_STEPS, ...PIPELINE_STEPS].map((entry) => {
    current = entry.part ?? current
    return { part: current, entry }
  })
}

/** Statuses of the step `endpoint`, whose 406 is only for paths with versions. */
const VERSION_STATUSES = /(405) (501); with versions also (406)/

type Runs = ReadonlyMap<StepFacts, Step<Call>>

/** Returns the first function of each entry. The functions of an entry, such as one function for each provider, are one step. */
function listRuns(pipelines: readonly Pipeline<Call>[]): Runs {
  const runs = new Map<StepFacts, Step<Call>>()
  for (const { steps, entries } of pipelines) {
    for (const [at, step] of steps.entries()) {
      const entry = entries[at]
      if (entry !== undefined && !runs.has(entry)) runs.set(entry, step)
    }
  }
  return runs
}

function showSteps(runs: Runs, endpoint: Endpoint<Call> | null, hasVersions: boolean): ShownStep[] {
  const used = stepEntries()
    .filter(({ entry }) => runs.has(entry))
    .map(({ part, entry }) => ({ part, entry, calls: calledFunctions(entry.name, endpoint) }))
  const places = findPlaces([...runs.values(), ...used.flatMap(({ calls }) => calls.map(({ run }) => run))])
  return used.map(({ part, entry, calls }) => ({
    part,
    name: entry.name,
    when: entry.when ?? 'always',
    answers: formatStatuses(entry, endpoint).replace(VERSION_STATUSES, hasVersions ? '$1 $3 $2' : '$1 $2'),
    at: places(runs.get(entry)),
    calls: calls.map(({ name, run }) => ({ name, at: places(run) })),
  }))
}

interface CalledFunction {
  readonly name: string
  readonly run: unknown
}

/** Returns the user's functions that a step calls. */
function calledFunctions(step: string, endpoint: Endpoint<Call> | null): CalledFunction[] {
  if (endpoint === null) return []
  const { middleware, providers, handler, route, verb } = endpoint
  if (step === 'middleware') return middleware.map((run) => ({ name: run.name || 'middleware', run }))
  if (step === 'method') return [{ name: `${route}.${verb}`, run: handler }]
  return selectProviders(step, providers).map(({ name, provider }) => ({ name, run: provider.resolve }))
}

/** Returns the providers that a step calls. */
function selectProviders(step: string, plan: ProviderPlan | null): readonly ProviderStep[] {
  if (plan === null) return []
  const { guards, raw, others } = plan
  const groups: Readonly<Record<string, readonly ProviderStep[]>> = {
    guards,
    'raw body providers': raw,
    providers: others,
  }
  return groups[step] ?? []
}

/** Returns the statuses of a step, with the statuses that its providers declare. */
function formatStatuses({ name, statuses = '' }: StepFacts, endpoint: Endpoint<Call> | null): string {
  if (endpoint === null) return statuses
  const declared = selectProviders(name, endpoint.providers).flatMap(({ provider }) => listStatuses(provider, endpoint))
  if (declared.length === 0) return statuses
  const statusNumbers = (statuses.match(/\d+/g) ?? []).map(Number)
  const all = [...new Set([...statusNumbers, ...declared])].toSorted((one, other) => one - other)
  return `${all.join(' ')}, any`
}

/** A precondition only rejects changes. For a GET, it declares 412 because of the step for conditional requests. */
function listStatuses(provider: ProviderRecipe, { verb }: Endpoint<Call>): number[] {
  const { errors = [] } = provider.needs
  const statuses = (Array.isArray(errors) ? errors : Object.keys(errors)).map(Number)
  if (!(provider instanceof PreconditionRecipe) || !VERB_FACTS[verb].isSafe) return statuses
  return statuses.filter((status) => status !== 412 && status !== 428)
}
