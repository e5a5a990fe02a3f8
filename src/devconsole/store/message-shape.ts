/** Identifies messages that differ only in their values, so that an incident is the same after a restart. */

/** Messages are compared up to this length. */
const MAX_LENGTH = 500
const QUOTED = /"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g
const UUID = /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi
/** Numbers, and ids such as `r_3f4`: words that contain a digit. */
const NUMBER = /-?\b[a-z_]*\d\w*/gi
/** `1,000`, `127.0.0.1:5432` and ids in parts are one value. */
const NUMBERS = /#(?:[.,:-]#)+/g

/** Returns a message without quoted values, numbers and ids. */
export function messageShape(message: string): string {
  const text = message.slice(0, MAX_LENGTH).replaceAll(QUOTED, '#')
  return text.replaceAll(UUID, '#').replaceAll(NUMBER, '#').replaceAll(NUMBERS, '#')
}
