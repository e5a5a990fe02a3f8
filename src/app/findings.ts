/** Findings: what is not wrong enough to refuse an app, but probably not meant. */
import { describeSchema, type Converters } from '../validation/json-schema.js'
import { textSource } from '../validation/text.js'
import type { Endpoint } from './endpoint.js'

/** Something about an endpoint that its author should know. */
export interface Finding {
  /** Stable name of the kind of finding. */
  readonly code: 'PARAMS_DIFFER' | 'RESPONSE_UNDESCRIBED'
  /** Name of the route. */
  readonly route: string
  /** Method of the endpoint, upper case. */
  readonly method: string
  /** What was found. */
  readonly message: string
  /** What to do about it. */
  readonly wayOut: string
}

/**
 * Looks through the endpoints of an app.
 *
 * @param endpoints of the app
 * @param converters of its `jsonSchema` option
 * @returns the findings in the order of registration
 */
export function findFindings(endpoints: readonly Endpoint[], converters: Converters): Finding[] {
  return endpoints.flatMap((endpoint) => [...undescribed(endpoint, converters), ...paramsDiffer(endpoint, converters)])
}

/** What cannot be described cannot be projected: every field that the validator lets through is sent. */
function undescribed({ returns, route, method }: Endpoint, converters: Converters): Finding[] {
  if (returns === null) return []
  const plans = returns.isRecord ? [...returns.byStatus.values()] : [returns.single]
  return plans.flatMap(({ schema }) => {
    const description = schema === null ? undefined : describeSchema(schema, 'output', converters)
    if (description === undefined || (description.schema !== undefined && !description.lenient)) return []
    const message = `The response schema cannot be described: ${description.reason}`
    const wayOut = 'Use a schema that describes itself, or give a converter in the option "jsonSchema"'
    return [{ code: 'RESPONSE_UNDESCRIBED', route, method, message, wayOut } as const]
  })
}

function paramsDiffer({ contract, path, route, method }: Endpoint, converters: Converters): Finding[] {
  if (contract?.params === undefined) return []
  const { keys } = textSource(contract.params, { converters, narrow: false })
  const names = [...path.matchAll(/\{([^}.]+)/g)].map(([, name]) => name)
  const strays = (keys ?? []).filter((key) => !names.includes(key))
  if (strays.length === 0) return []
  const message = `The schema of "params" names ${strays.join(', ')}, which the path "${path}" does not have`
  return [
    {
      code: 'PARAMS_DIFFER',
      route,
      method,
      message,
      wayOut:
        names.length === 0
          ? 'Leave "params" out: the path has none'
          : `Name them as the path does: ${names.join(', ')}`,
    },
  ]
}
