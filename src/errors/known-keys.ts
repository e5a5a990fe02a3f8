/** Unknown keys: compiler errors if the compiler sees them, and suggestions for the errors of all others. */

/** Makes each key that is not in `Allowed` a compiler error. */
export type Only<Given, Allowed> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: UnknownKey<Given[K], K & string>
}

// The compiler shows the type as the error message. `never` is for values of type `any`, which would be assignable to a message.
type UnknownKey<Value, K extends string> = 0 extends 1 & Value ? never : `unknown key: ${K}`

/** Returns ` Did you mean "query"?` with a leading space, or an empty string if no known name is similar. */
export function suggestion(name: string, known: readonly string[]): string {
  const [best] = known
    .map((candidate) => ({ candidate, distance: levenshtein(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best === undefined || best.distance > 2 ? '' : ` Did you mean "${best.candidate}"?`
}

function levenshtein(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, char] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]]
      next.push(Math.min(above + 1, left + 1, diagonal + (char === other ? 0 : 1)))
    }
    row = next
  }
  const { [to.length]: distance = 0 } = row
  return distance
}
