/** What the environment says: of where the app runs, and of what its author asks it for. Beside the command line the only place that reads it. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { SetupError } from '../errors/setup-error.js'
import type { Issues } from '../validation/issues.js'
import { isSchema, type AnySchema, type Out } from '../validation/schema.js'
import { topLevelKey } from '../validation/text/open-text.js'
import { textSource } from '../validation/text/string-source.js'
import type { Outcome } from '../validation/validate.js'
import { noop } from '../values/ignore.js'
import { valueOr } from '../values/quietly.js'

startStackAtCaller(environment)

/** Texts by name, as in `process.env`. */
export interface EnvironmentSource {
  readonly [name: string]: string | undefined
}

/**
 * Reads settings from environment variables, by a schema. Texts are converted as those of a query: `"3000"` is a number where the schema wants
 * one, `"true"` a boolean. Variables that the schema does not describe are left out.
 *
 * @param schema of the variables by name; one that answers at once
 * @param source texts by name; `process.env` unless given
 * @returns what the schema gives
 * @throws SetupError `ENVIRONMENT_INVALID`, which names all variables that are missing or wrong, and never says a value
 */
export function environment<S extends AnySchema>(schema: S, source: EnvironmentSource = process.env): Out<S> {
  const { value, issues } = validateEnvironment(schema, source)
  if (issues !== undefined)
    throw environmentError(`${describeIssues(issues, source)}. Set each to what the schema takes`)
  // Proof: it is what the schema gives.
  return value as Out<S>
}

function validateEnvironment(schema: unknown, source: EnvironmentSource): Outcome {
  if (!isSchema(schema)) {
    const fix = 'Give the schema of an object, of a library that follows Standard Schema 1'
    throw new SetupError('SCHEMA_INVALID', `Cannot use environment(…): its first argument is not a schema. ${fix}`)
  }
  const outcome = valueOr(() => textSource(schema, {}, true).read(source), null)
  if (outcome !== null && !(outcome instanceof Promise)) return outcome
  outcome?.catch(noop)
  // What it throws may hold a value. One that throws makes some libraries try again asynchronously.
  throw environmentError('the schema throws, or does not answer at once. Let it refuse at once what it cannot take')
}

/** By name alone: what libraries say of a value may repeat it. */
function describeIssues({ complaints }: Issues, source: EnvironmentSource): string {
  const names = [...new Set(complaints.map(topLevelKey))]
  const named = names.filter((name) => name !== undefined)
  const missing = named.filter((name) => source[name] === undefined)
  const wrong = named.filter((name) => source[name] !== undefined)
  const unexplained =
    names.length > named.length ? ['what the schema says of all variables together does not hold'] : []
  return [...describeNames(missing, 'missing'), ...describeNames(wrong, 'wrong'), ...unexplained].join(', ')
}

function describeNames(names: readonly string[], flaw: string): string[] {
  const quoted = names.map((name) => `"${name}"`)
  const verb = names.length > 1 ? 'are' : 'is'
  return names.length === 0 ? [] : [`${quoted.join(', ')} ${verb} ${flaw}`]
}

function environmentError(why: string): SetupError {
  return new SetupError('ENVIRONMENT_INVALID', `Cannot read the environment: ${why}`)
}
