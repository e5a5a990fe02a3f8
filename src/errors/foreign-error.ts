/** HTTP errors of other copies of Verbena in the process. */
import { isObject, isRecord, type UnknownRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import { foreignMark, HTTP_ERROR, MARK_VERSION } from './copies.js'
import { HttpError } from './http-error.js'
import { isOptionalText } from './options.js'

/** Errors of other copies, as errors of this copy; `null` for all other objects. */
const adopted = new WeakMap<object, HttpError | null>()

/** Returns a thrown HTTP error. One of another copy of Verbena becomes one of this copy. Returns `undefined` for other values. */
export function toHttpError(thrown: unknown): HttpError | undefined {
  try {
    if (thrown instanceof HttpError) return thrown
  } catch {
    return undefined // Any access to an object can throw, even `instanceof`.
  }
  if (!isObject(thrown)) return undefined
  const adoptedError = adopted.get(thrown)
  if (adoptedError !== undefined) return adoptedError ?? undefined
  const error = valueOr(() => adoptError(thrown), null)
  adopted.set(thrown, error)
  return error ?? undefined
}

/** Reads each member once, because it can be a getter. Throws or returns `null` if the constructor would not accept the members. */
function adoptError(thrown: UnknownRecord): HttpError | null {
  const mark = foreignMark(thrown)
  if (mark?.kind !== HTTP_ERROR || mark.version !== MARK_VERSION) return null
  const { status, type, detail, headers, extensions } = thrown
  if (typeof status !== 'number' || !isOptionalText(type) || !isOptionalText(detail)) return null
  if (!isRecord(headers) || !isRecord(extensions)) return null
  // Proof: the constructor checks the values of headers.
  const copied = { ...headers } as Record<string, string>
  return new HttpError(status, detail, { ...extensions, type, headers: copied, cause: thrown })
}
