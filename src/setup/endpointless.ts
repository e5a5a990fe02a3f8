/** Replies to requests without an endpoint: pipelines, built once for equal middleware and response options, and errors. */
import type { Middleware } from '../context/middleware.js'
import type { HttpError } from '../errors/http-error.js'
import { preparedError } from '../errors/prepared-error.js'
import type { Call } from '../request/call.js'
import type { EndpointlessSettings, FormatPlan, Pipeline } from '../request/endpoint.js'
import type { ResponseSteps } from '../request/step-entry.js'
import { pipelineFor } from '../request/steps.js'

export class EndpointlessReplies {
  /** Pipelines by response steps, with their middleware. */
  readonly #made = new Map<
    ResponseSteps,
    { readonly chain: readonly Middleware[]; readonly pipeline: Pipeline<Call> }[]
  >()

  readonly #notAllowed = new Map<string, HttpError>()

  /** Returns the pipeline of errors before an endpoint begins, and of requests without an endpoint. */
  pipeline(chain: readonly Middleware[], responses: ResponseSteps): Pipeline<Call> {
    const made = this.#made.get(responses) ?? []
    const same = made.find((each) => isSameChain(each.chain, chain))
    if (same !== undefined) return same.pipeline
    const pipeline = pipelineFor(null, chain, responses)
    this.#made.set(responses, [...made, { chain, pipeline }])
    return pipeline
  }

  /** Builds the settings of requests without an endpoint. Preflights skip middleware, which could reject or redirect them. */
  settings(
    chain: readonly Middleware[],
    responses: ResponseSteps,
    errorFormat: FormatPlan | null,
  ): EndpointlessSettings<Call> {
    const preflightPipeline = responses.preflight && pipelineFor(null, [], responses, true)
    return { pipeline: this.pipeline(chain, responses), preflightPipeline, errorFormat }
  }

  /** Returns the error for methods that a path does not support. Paths with the same methods share it. */
  notAllowed(allow: string): HttpError {
    const known = this.#notAllowed.get(allow)
    if (known !== undefined) return known
    const error = preparedError(405, `This path only supports ${allow}`, { headers: { allow } })
    this.#notAllowed.set(allow, error)
    return error
  }
}

function isSameChain(one: readonly Middleware[], other: readonly Middleware[]): boolean {
  return one.length === other.length && one.every((middleware, at) => middleware === other[at])
}
