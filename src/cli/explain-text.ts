/** Result of `verbena explain`, and its text. */
import type { Params } from '../router/match.js'
import type { ShownEndpoint } from './endpoints.js'
import { formatPlace, type SourcePlace } from '../prove/source-places.js'
import type { Terminal } from './terminal.js'

/** A function of the user that a step calls. */
interface ShownFunction {
  readonly name: string
  readonly at: SourcePlace | null
}

export interface ShownStep {
  /** Part of the request: `route`, `request`, `reply`, `send` or `end`. */
  readonly part: string
  readonly name: string
  /** Condition of the step, such as `with cors`, or `always`. */
  readonly when: string
  /** Statuses that the step may respond with instead of continuing; empty if it always continues. */
  readonly answers: string
  /** Place of the step in Verbena. */
  readonly at: SourcePlace | null
  readonly calls: readonly ShownFunction[]
}

/** The steps of a request, as `--json` prints them. */
export interface Explanation {
  readonly method: string
  readonly path: string
  /** `null` if no endpoint handles the request. */
  readonly endpoint: ShownEndpoint | null
  readonly params: Params
  /** The version of the API; `null` if the endpoint supports all versions. */
  readonly version: string | null
  /** Error of routing; `null` if there is none. */
  readonly failure: { readonly status: number; readonly detail: string } | null
  readonly steps: readonly ShownStep[]
  readonly leftOut: readonly Pick<ShownStep, 'part' | 'name' | 'when'>[]
}

export function formatExplanation(explanation: Explanation, terminal: Terminal): string {
  const { steps, leftOut } = explanation
  const lines = [...formatHead(explanation, terminal), '', ...formatSteps(steps, terminal)]
  return [...lines, ...formatLeftOut(leftOut, terminal)].join('\n')
}

function formatHead({ method, path, endpoint, params, version, failure }: Explanation, { style }: Terminal): string[] {
  const request = `${style('cyan', method)} ${style('bold', path)}`
  const values = Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const facts = [...values, ...(version === null ? [] : [`version ${version}`])].join(', ')
  if (failure !== null) return [request, `  ${style('red', `${failure.status} ${failure.detail}`)}`]
  if (endpoint === null) return [request, '  no endpoint: Verbena responds by itself']
  const place = `${endpoint.class}.${endpoint.method.toLowerCase()}  ${style('dim', formatPlace(endpoint))}`
  return [request, `  ${endpoint.path}  ${place}`, ...(facts === '' ? [] : [`  ${facts}`])]
}

function formatSteps(steps: readonly ShownStep[], { style }: Terminal): string[] {
  const nameWidth = Math.max(
    ...steps.flatMap(({ name, calls }) => [name, ...calls.map((each) => `  ${each.name}`)]).map(measure),
  )
  const statusWidth = Math.max(...steps.map(({ answers }) => answers.length))
  return steps.flatMap(({ part, name, answers, at, calls }, index) => {
    const title = part === steps[index - 1]?.part ? [] : [style('bold', part.toUpperCase())]
    const line = `  ${name.padEnd(nameWidth)}  ${answers.padEnd(statusWidth)}  ${style('dim', formatPlace(at))}`
    const callLines = calls.map((each) => {
      return `    ${style('cyan', each.name.padEnd(nameWidth - 2))}  ${' '.repeat(statusWidth)}  ${formatPlace(each.at)}`
    })
    return [...title, line, ...callLines]
  })
}

function formatLeftOut(leftOut: Explanation['leftOut'], { style }: Terminal): string[] {
  const width = Math.max(...leftOut.map(({ name }) => name.length))
  const lines = leftOut.map(({ name, when }) => `  ${name.padEnd(width)}  ${style('dim', `only ${when}`)}`)
  return ['', style('bold', 'LEFT OUT'), ...lines]
}

function measure(text: string): number {
  return text.length
}
