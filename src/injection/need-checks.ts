/** What a provider may need. */
import { SetupError } from '../errors/setup-error.js'
import { suggestion } from '../errors/suggest.js'
import { isRecord } from '../values/objects.js'
import { isSchema } from '../validation/schema.js'
import type { Needs, TextSources } from './provider-types.js'

/** The sources that are texts, in the order in which their issues are reported. */
export const TEXT_SOURCES: readonly (keyof TextSources)[] = ['params', 'query', 'headers', 'cookies']

const KEYS: readonly string[] = [...TEXT_SOURCES, 'rawBody', 'uses', 'errors', 'security']
const ENDS: readonly unknown[] = [undefined, 'before-response', 'after-response']

/** Checks what an author wrote as the needs of a provider. */
export function checkNeeds(needs: unknown): void {
  if (!isRecord(needs)) throw invalid('its needs are no record. Write "provide({ … }, (input) => value)"')
  for (const key of Object.keys(needs)) {
    if (KEYS.includes(key)) continue
    throw invalid(`unknown key "${key}".${suggestion(key, KEYS)} Needs have ${KEYS.join(', ')}`)
  }
  const given: { readonly [K in keyof Needs]: unknown } = needs
  for (const source of TEXT_SOURCES) {
    if (given[source] === undefined || isSchema(given[source])) continue
    throw invalid(`"${source}" is not a schema. Give a schema of a library that follows Standard Schema 1`)
  }
  if (given.rawBody !== undefined && given.rawBody !== true) {
    throw invalid('"rawBody" is not true. Write "rawBody: true", or leave it out')
  }
  checkErrors(given.errors)
  checkSecurity(given.security)
}

function checkErrors(errors: unknown): void {
  if (errors === undefined) return
  if (Array.isArray(errors) && errors.every(isErrorStatus)) return
  if (isRecord(errors) && Object.keys(errors).every((status) => isErrorStatus(Number(status)))) return
  throw invalid('"errors" does not list statuses from 400 to 599. Write "errors: [403]"')
}

function isErrorStatus(status: unknown): boolean {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}

function checkSecurity(security: unknown): void {
  if (security === undefined) return
  const schemes = [security].flat()
  if (schemes.length > 0 && schemes.every((scheme) => isRecord(scheme) && 'type' in scheme)) return
  throw invalid(`"security" is no scheme. Write "security: { type: 'http', scheme: 'bearer' }"`)
}

/** Checks the rest of what an author gave to `provide`. */
export function checkProvider(resolve: unknown, options: unknown): void {
  if (typeof resolve !== 'function') {
    throw invalid('its second argument is not a function. Write "provide({ … }, (input) => value)"')
  }
  if (!isRecord(options) || Object.keys(options).some((key) => key !== 'ends')) {
    throw invalid('its options are not known. Write "{ ends: \'after-response\' }", or leave them out')
  }
  if (ENDS.includes(options['ends'])) return
  throw invalid(`"ends" is neither 'before-response' nor 'after-response'. Write one of them`)
}

function invalid(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a provider: ${why}`)
}
