/** The providers of one call, with what they get. */
import type { RequestContext } from '../context/request-context.js'
import { RequestScope } from '../injection/scope.js'

/** The providers of one call. */
export class CallProviders extends RequestScope {
  /** By slot: what a provider gets, where its sources were read before its turn. */
  readonly inputs: RequestContext[] = []
  /** The bytes of the body, once they are there. */
  rawBody: Uint8Array = NO_BYTES
}

const NO_BYTES = new Uint8Array()

/** Stands for the providers of a call whose endpoint uses none. */
export const NO_PROVIDERS: CallProviders = new CallProviders(() => {})
