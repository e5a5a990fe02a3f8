/** Runs the calls of an authorization matrix: every endpoint as every actor, then with invalid credentials. */
import type { MatrixRow } from './authorization-file.js'
import { Denials } from './denials.js'
import { DENIED, type ProofEndpoint, type ProofParts, type ProofResult } from './proof-app.js'
import { buildRequest, findExample, sampleInput } from './sample-request.js'

/** Decisions and findings of one endpoint. */
export interface EndpointOutcome {
  readonly target: ProofEndpoint
  /** `null` if the endpoint was not called, or if a decision is undecided. */
  readonly row: MatrixRow | null
  readonly findings: readonly string[]
}

export class Matrix {
  readonly denials: Denials = new Denials()
  /** Number of calls by service and method. */
  readonly serviceCalls: Map<string, number> = new Map()
  readonly #parts: ProofParts

  constructor(parts: ProofParts) {
    this.#parts = parts
  }

  /** One call after the other, so that limits and stores see the same order in each run. */
  async run(): Promise<readonly EndpointOutcome[]> {
    const outcomes: EndpointOutcome[] = []
    for (const target of this.#parts.app.endpoints) outcomes.push(await this.#check(target))
    return outcomes
  }

  async #check(target: ProofEndpoint): Promise<EndpointOutcome> {
    const { examples, preparation, actors } = this.#parts
    const { label, endpoint } = target
    const example = findExample(examples, label)
    const input = await sampleInput(endpoint, example, preparation)
    if ('issue' in input) {
      const fix = `Write "examples: { '${label}': { … } }"`
      return { target, row: null, findings: [`needs an example, because ${input.issue}. ${fix}`] }
    }
    const decisions: string[] = []
    const findings: string[] = []
    for (const { name, credentials } of actors) {
      const result = await this.#call(target, buildRequest(input, credentials))
      const text = result.exchange.hasPassed ? 'reached' : String(result.response.status)
      const undecided = findUndecided(target, result, example.status)
      if (undecided !== null) findings.push(`${name}: ${undecided}`)
      decisions.push(text)
    }
    if (findings.length > 0) return { target, row: null, findings }
    const call = (request: Request): Promise<ProofResult> => this.#call(target, request)
    const denied = await this.denials.check({ target, call, actors, input, status: example.status })
    return { target, row: { label, decisions }, findings: denied }
  }

  async #call({ endpoint }: ProofEndpoint, request: Request): Promise<ProofResult> {
    const result = await this.#parts.app.call(endpoint, request)
    for (const name of result.exchange.serviceCalls) {
      this.serviceCalls.set(name, (this.serviceCalls.get(name) ?? 0) + 1)
    }
    return result
  }
}

/** Returns why a response is not a decision; `null` if it is one. */
function findUndecided(target: ProofEndpoint, result: ProofResult, accepted: number | undefined): string | null {
  const { call, exchange, response } = result
  const fix = `"examples: { '${target.label}': { … } }"`
  if (call.endpoint !== target.endpoint) {
    const other = call.endpoint === null ? 'no endpoint' : `the endpoint ${call.endpoint.method} ${call.endpoint.path}`
    return `undecided, because ${other} matches the path "${call.path}". Write ${fix} with other params`
  }
  const { status } = response
  if (exchange.hasPassed || DENIED.has(status) || status === accepted) return null
  const { error } = call.reply
  const reason = error instanceof Error ? ` (${error.message})` : ''
  return `undecided, because the status is ${status}${reason}. Write ${fix} with valid input, or with "status: ${status}" if all requests get it`
}
