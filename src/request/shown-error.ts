/** Errors in the lines that the framework writes itself: what they say of the secrets of a request is hidden. */
import { CallSecrets } from '../observe/call-secrets.js'
import type { CallInput, SentHead } from '../observe/event-types.js'
import type { Secrets } from '../observe/secrets.js'

/** A call in which something failed. */
export interface FailedCall extends SentHead {
  readonly input: CallInput
  readonly core: { readonly secrets: Secrets }
}

/** Hides secrets in an error. */
export function shownError(call: FailedCall, error: unknown): unknown {
  const hides = new CallSecrets(call.core.secrets)
  hides.gather(call)
  // The copy is of no use here, but to make it finds the secrets.
  hides.copy({ input: call.input, output: undefined }, false)
  return hides.error(error)
}
