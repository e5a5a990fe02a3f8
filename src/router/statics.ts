/** The table of paths without parameters. */

/**
 * Values by path. To ask a `Map` a fresh string has to be hashed, which costs 60 ns; here three of its characters lead to
 * those few paths that it could be.
 */
export interface Statics<Value> {
  /** All values by the path that they are for, to be walked through and for marks that many paths have in common. */
  readonly values: Map<string, Value>
  /** By mark, a power of two of them: the paths that have it, mostly none or one. */
  marks: (readonly Static<Value>[])[]
}

/** One path. */
export interface Static<Value> {
  readonly path: string
  readonly value: Value
}

const NO_PATHS: readonly never[] = []
const MARKS_A_PATH = 8
/** Paths of one mark that are compared one by one. */
const FEW = 4

/** Makes an empty table. */
export function createStatics<Value>(): Statics<Value> {
  return { values: new Map(), marks: emptyMarks(MARKS_A_PATH) }
}

/** Adds a path. */
export function addStatic<Value>(statics: Statics<Value>, path: string, value: Value): void {
  const { values } = statics
  values.set(path, value)
  const isFull = values.size * MARKS_A_PATH > statics.marks.length
  if (isFull) statics.marks = emptyMarks(statics.marks.length * 2)
  for (const [each, its] of isFull ? values : [[path, value] as const]) mark(statics.marks, { path: each, value: its })
}

function mark<Value>(marks: (readonly Static<Value>[])[], added: Static<Value>): void {
  const at = markOf(added.path, marks.length)
  marks[at] = [...pathsAt(marks, at), added]
}

function emptyMarks(count: number): (readonly never[])[] {
  return Array.from({ length: count }, () => NO_PATHS)
}

/** Finds the value for a path. Returns the value, or `undefined`. */
export function findStatic<Value>({ marks, values }: Statics<Value>, path: string): Value | undefined {
  const near = pathsAt(marks, markOf(path, marks.length))
  if (near.length > FEW) return values.get(path)
  for (const each of near) if (each.path === path) return each.value
  return undefined
}

function pathsAt<Value>(marks: Statics<Value>['marks'], at: number): readonly Static<Value>[] {
  // Proof: a mark is below the number of marks.
  return marks[at] as readonly Static<Value>[]
}

function markOf(path: string, size: number): number {
  const { length } = path
  return (length * 131 + path.charCodeAt(length - 1) * 31 + path.charCodeAt(length >> 1) * 1031) & (size - 1)
}
