/**
 * Returns a function that creates a regular expression at its first call. V8 parses the literals of a module when it loads, which takes up to
 * 0.5 ms for a Unicode class such as `\p{L}` (Node 20), also if no code uses it.
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined
  return () => (pattern ??= new RegExp(source, flags))
}
