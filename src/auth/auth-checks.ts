/** What `bearer`, `basic`, `apiKey`, `optional` and `anyOf` may be given. */
import { SetupError } from '../errors/setup-error.js'
import { checkKeys } from '../errors/known-keys.js'
import { CredentialsRecipe } from '../injection/credentials.js'

/** Visible ASCII and spaces: what can be quoted in a header. */
const QUOTABLE = /^[\x20-\x7e]+$/

/** Checks the function that verifies. */
export function checkVerify(name: string, verify: unknown): void {
  if (typeof verify === 'function') return
  throw invalid(name, `it is not given a function. Write "${name}(…, (credentials) => user)"`)
}

/** Checks options that are texts. */
export function checkTexts(name: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw invalid(name, `its options are no record. Write "{ ${known[0]}: '…' }"`)
  }
  checkKeys(options, known, (key, help) => invalid(name, `unknown option "${key}".${help}`))
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || (typeof value === 'string' && QUOTABLE.test(value))) continue
    throw invalid(name, `"${key}" is not a text of visible ASCII characters. Use others`)
  }
}

/** Finds what is behind a provider of credentials. */
export function credentialsRecipe(name: string, provider: unknown): CredentialsRecipe {
  if (provider instanceof CredentialsRecipe) return provider
  const wayOut = 'Give what bearer, basic, apiKey or anyOf has made; whoever uses that is resolved after it'
  throw invalid(name, `it is given something that does not tell absent credentials from wrong ones. ${wayOut}`)
}

/** The error for something that cannot be used. */
export function invalid(name: string, why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a provider by ${name}: ${why}`)
}
