/** Validators that cannot create code in this process, and therefore take several times as long. */
import { listSchemaFields } from '../check/schema-findings.js'
import type { Endpoint } from '../request/endpoint.js'
import { isSchema } from '../validation/schema.js'
import { hasFlag } from './permission.js'

const FLAG = '--disallow-code-generation-from-strings'
/** Vendors, as in Standard Schema, whose validators create code from strings. Other validators have the same speed with the flag. */
const CREATE_CODE: ReadonlySet<string> = new Set(['zod', 'arktype'])

/** A finding that depends on the process, so it is not part of `app.check()`. */
export interface SlowValidator {
  readonly code: 'VALIDATOR_SLOW'
  readonly route: string
  readonly method: string
  readonly message: string
  readonly fix: string
}

/** Returns a finding for each vendor, at its first endpoint. It reads only the flag of the process, because an attempt to create code violates it. */
export function slowValidators(endpoints: readonly Endpoint[]): SlowValidator[] {
  if (!hasFlag(FLAG)) return []
  const seen = new Set<string>()
  return endpoints.flatMap((endpoint) => {
    const { route, method } = endpoint
    const vendors = listSchemaFields(endpoint).flatMap(({ schema }) =>
      isSchema(schema) ? schema['~standard'].vendor : [],
    )
    const slow = [...new Set(vendors)].filter((vendor) => CREATE_CODE.has(vendor) && !seen.has(vendor))
    return slow.map((vendor) => {
      seen.add(vendor)
      const message = `The validator "${vendor}" takes several times as long in this process, because ${FLAG} does not let it create code`
      const fix = 'Measure your largest lists. If they matter, use a validator that creates no code'
      return { code: 'VALIDATOR_SLOW', route, method, message, fix }
    })
  })
}
