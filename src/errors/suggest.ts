/** Did you mean …? For the texts of setup errors. */

/**
 * Finds the name that was probably meant. Returns ` Did you mean "query"?` with a leading space, or an empty text when
 * nothing is near.
 */
export function suggestion(name: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= 2)
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = near
  return best === undefined ? '' : ` Did you mean "${best.candidate}"?`
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
