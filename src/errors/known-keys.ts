/** Unknown keys of what an author writes: refused by the compiler where it sees them, else by a setup error. */

/** Makes a key that `Allowed` does not have an error at that key. */
export type Only<Given, Allowed> = {
  readonly [K in Exclude<keyof Given, keyof Allowed>]: UnknownKey<Given[K], K & string>
}

// A value of type `any` fits every type but `never`; for all others the error says what is wrong.
type UnknownKey<Value, K extends string> = 0 extends 1 & Value ? never : `unknown key: ${K}`

/** What makes the error for an unknown key; `help` names the key that was probably meant, and those there are. */
type RefuseKey = (key: string, help: string) => Error

/** Refuses the first unknown key; `lead` begins the list of those there are. */
export function checkKeys(given: object, known: readonly string[], refuse: RefuseKey, lead = 'Known are'): void {
  const key = Object.keys(given).find((name) => !known.includes(name))
  if (key !== undefined) throw refuse(key, `${suggestion(key, known)} ${lead} ${known.join(', ')}`)
}

/** Returns ` Did you mean "query"?` with a leading space, or an empty text when no known name is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const [best] = known
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best === undefined || best.distance > 2 ? '' : ` Did you mean "${best.candidate}"?`
}

/** Levenshtein distance, row by row. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, char] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[column + 1], row[column], next[column]]
      next.push(Math.min(above + 1, left + 1, diagonal + (char === other ? 0 : 1)))
    }
    row = next
  }
  const [distance = 0] = row.slice(-1)
  return distance
}
