/** Lists the statuses of Verbena's own problems. */
import { VALIDATION_STATUS } from '../errors/request-issue.js'
import { VERB_FACTS } from '../http/methods.js'
import { unwrapOverride } from '../injection/override.js'
import type { Endpoint } from '../request/endpoint.js'
import { listReplyPlans, listSteps } from '../setup/plans.js'

/** Returns the statuses of Verbena's own problems at this endpoint. Problems that any request can cause are not included. */
export function frameworkProblems(endpoint: Endpoint): number[] {
  const { contract, body, sources, produces, timeout, idempotency, constraint, sunset } = endpoint
  const isKeyed = idempotency !== null
  const isVersioned = constraint !== null
  const facts: readonly (readonly [number, boolean])[] = [
    [400, body !== null || sources.length > 0 || contract === undefined || isKeyed || isVersioned],
    [406, produces !== null || isVersioned],
    [408, body !== null],
    [409, isKeyed],
    [410, Number.isFinite(sunset)],
    [412, contract?.etag === true],
    [413, body !== null],
    [415, body !== null && body.kind !== 'unparsed'],
    [VALIDATION_STATUS, sources.length > 0 || isValidated(body) || isKeyed],
    [503, timeout > 0 || isKeyed],
  ]
  const statuses = facts.filter(([, holds]) => holds).map(([status]) => status)
  return [...statuses, ...fileErrors(endpoint), ...rejectionsOfProviders(endpoint)]
}

/** Lines have no validator, because they are validated while the handler reads them. */
function isValidated(body: Endpoint['body']): boolean {
  return body !== null && (body.validate !== null || body.kind === 'jsonLines')
}

/** Whether the contract declares `file()`. */
export function sendsFile({ response }: Endpoint): boolean {
  return listReplyPlans(response).some(({ kind }) => kind === 'file')
}

function fileErrors(endpoint: Endpoint): number[] {
  return sendsFile(endpoint) ? [412, 416] : []
}

function rejectionsOfProviders({ providers, verb }: Endpoint): number[] {
  return listSteps(providers).flatMap(({ provider, rejection }) => {
    const { always, unsafe } = unwrapOverride(provider).frameworkErrors
    return [...(rejection === null ? [] : [rejection.status]), ...always, ...(VERB_FACTS[verb].isSafe ? [] : unsafe)]
  })
}
