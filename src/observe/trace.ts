/** The trace that a request belongs to (W3C Trace Context, level 1). */

/** Ids of zeros alone are invalid, and so is the version `ff`. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0+-)([0-9a-f]{32})-(?!0+-)[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** Reads the id of a trace from `traceparent` (section 3.2), of a later version too; a malformed field counts as absent. */
export function parseTraceId(field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const [, version, traceId, rest] = TRACEPARENT.exec(field) ?? []
  return version === '00' && rest !== undefined ? undefined : traceId
}
