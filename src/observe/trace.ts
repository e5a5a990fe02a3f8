/** The trace that a request belongs to (W3C Trace Context, level 1). */

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/**
 * Reads the id of a trace from `traceparent` (Trace Context, section 3.2). A malformed field counts as absent, and so do several,
 * which arrive joined by a comma. Of a later version the known part is read (section 3.2.4).
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
