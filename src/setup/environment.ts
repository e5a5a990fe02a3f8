/** Settings from environment variables, validated by a schema. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { SetupError } from '../errors/setup-error.js'
import type { Issues } from '../validation/issues.js'
import { isSchema, type AnySchema, type Out } from '../validation/schema.js'
import { topLevelKey } from '../validation/text/open-text.js'
import { textSource } from '../validation/text/string-source.js'
import type { Outcome } from '../validation/validate.js'
import { noop } from '../values/noop.js'
import { valueOr } from '../values/value-or.js'

startStackAtCaller(environment)

/** Strings by name, such as `process.env`. */
export interface EnvironmentSource {
  readonly [name: string]: string | undefined
}

/**
 * Reads settings from environment variables and validates them. Strings are converted as in a query: `"3000"` becomes a number and `"true"`
 * a boolean if the schema expects one. Variables that are not in the schema are omitted.
 *
 * @param schema synchronous schema of an object, with a property for each variable
 * @param source strings by name; default `process.env`
 * @returns the output of the schema
 * @throws SetupError `ENVIRONMENT_INVALID`: names all missing and invalid variables, but never their values; `SCHEMA_INVALID` if the first
 * argument is not a schema
 */
export function environment<S extends AnySchema>(schema: S, source: EnvironmentSource = process.env): Out<S> {
  const { value, issues } = validateEnvironment(schema, source)
  if (issues !== undefined)
    throw environmentError(`${describeIssues(issues, source)}. Set each to a value that the schema accepts`)
  // Proof: `value` is the output of the schema.
  return value as Out<S>
}

function validateEnvironment(schema: unknown, source: EnvironmentSource): Outcome {
  if (!isSchema(schema)) {
    const fix = 'Pass an object schema of a library that implements Standard Schema 1'
    throw new SetupError('SCHEMA_INVALID', `Cannot use environment(…): its first argument is not a schema. ${fix}`)
  }
  const outcome = valueOr(() => textSource(schema, {}, 'environment').read(source), null)
  if (outcome !== null && !(outcome instanceof Promise)) return outcome
  outcome?.catch(noop)
  // The error is not quoted, because it may contain a value. Some libraries retry asynchronously if a schema throws.
  throw environmentError(
    'the schema throws or is asynchronous. Use a synchronous schema that returns issues for invalid values',
  )
}

/** Lists variables by name only, because a library's message may quote the value. */
function describeIssues({ rawIssues }: Issues, source: EnvironmentSource): string {
  const names = [...new Set(rawIssues.map(topLevelKey))]
  const named = names.filter((name) => name !== undefined)
  const missing = named.filter((name) => source[name] === undefined)
  const wrong = named.filter((name) => source[name] !== undefined)
  const unexplained = names.length > named.length ? ['a rule for the schema as a whole failed'] : []
  return [...describeNames(missing, 'missing'), ...describeNames(wrong, 'invalid'), ...unexplained].join(', ')
}

function describeNames(names: readonly string[], state: string): string[] {
  const quoted = names.map((name) => `"${name}"`)
  const verb = names.length > 1 ? 'are' : 'is'
  return names.length === 0 ? [] : [`${quoted.join(', ')} ${verb} ${state}`]
}

function environmentError(why: string): SetupError {
  return new SetupError('ENVIRONMENT_INVALID', `Cannot read the environment: ${why}`)
}
