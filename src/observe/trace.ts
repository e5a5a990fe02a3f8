/** The trace that a request belongs to (W3C Trace Context, level 1). */

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/**
 * Reads the id of a trace from `traceparent` (Trace Context, section 3.2). What is malformed counts as absent; so do
 * several fields, which arrive joined by a comma. Of a later version the part is read that is known, as section 3.2.4
 * asks. Returns 32 lower-case hexadecimal digits, or `undefined`.
 */
export function traceIdOf(field: string | undefined): string | undefined {
  if (field === undefined) return undefined
  const [, version, traceId, parentId, rest] = TRACEPARENT.exec(field) ?? []
  if (traceId === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  return isZero(traceId) || isZero(parentId) ? undefined : traceId
}

function isZero(id: string | undefined): boolean {
  return id === undefined || /^0+$/.test(id)
}
