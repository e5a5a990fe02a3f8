/** The trace that a request belongs to (W3C Trace Context, level 1). */

/** The version `ff` and ids that consist of zeros are invalid. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0+-)([0-9a-f]{32})-(?!0+-)[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** Returns the trace id of a `traceparent` header (section 3.2) of any version; `undefined` if it is missing or malformed. */
export function parseTraceId(field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const [, version, traceId, rest] = TRACEPARENT.exec(field) ?? []
  return version === '00' && rest !== undefined ? undefined : traceId
}
