/** What one use of a decorator may say. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'
import { isPlainRecord } from '../values/objects.js'
import type { DecoratorSpec } from './decorator-types.js'

const KEYS: readonly string[] = ['around', 'meta', 'errors']

/** Checks what the function of an author's decorator returned. */
export function checkSpec(label: string, spec: DecoratorSpec): DecoratorSpec {
  const given: unknown = spec
  if (!isPlainRecord(given)) throw flaw(label, 'its function returned no record. Return "{ around, meta, errors }"')
  for (const key of Object.keys(given)) {
    if (KEYS.includes(key)) continue
    throw flaw(label, `unknown key "${key}".${suggestion(key, KEYS)} A decorator has ${KEYS.join(', ')}`)
  }
  const { around, meta, errors }: { around?: unknown; meta?: unknown; errors?: unknown } = given
  if (around !== undefined && typeof around !== 'function') {
    throw flaw(label, '"around" is not a function. Write "around: (input, proceed, endpoint) => proceed()"')
  }
  if (meta !== undefined && !isPlainRecord(meta)) throw flaw(label, '"meta" is not a plain object. Write "meta: { … }"')
  if (errors !== undefined && !isStatusList(errors)) {
    throw flaw(label, '"errors" is not a list of whole numbers from 400 to 599. Write "errors: [403]"')
  }
  return spec
}

function isStatusList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each) && each >= 400 && each <= 599)
}

function flaw(label: string, why: string): SetupError {
  return new SetupError('DECORATOR_INVALID', `Cannot use ${label}: ${why}`)
}
