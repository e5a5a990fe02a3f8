/** Stacks of setup errors: they begin where an author calls a function of Verbena, and leave out the frames of Verbena. */

/** A function that authors call. */
export type PublicFunction = (...given: never[]) => unknown

const publicFunctions = new Set<PublicFunction>()

/** Deeper stacks do not occur between the call of an author and an error. */
const MAX_FRAMES = 100

/** Registers functions: the stack of a setup error that they throw begins at their caller. */
export function startStackAtCaller(...functions: readonly PublicFunction[]): void {
  for (const each of functions) publicFunctions.add(each)
}

/** Captures the stack of an error again, from the caller of the outermost registered function. */
export function startAtCaller(error: Error): void {
  const outermost = withFrameCounts(() => {
    const frameCounts = [...publicFunctions].map((each) => ({ each, frames: countFrames(each) }))
    return frameCounts.filter(({ frames }) => frames > 0).toSorted((a, b) => a.frames - b.frames)[0]?.each
  })
  if (outermost !== undefined) Error.captureStackTrace(error, outermost)
}

/** Runs with stacks that are the number of their frames: formatting a stack for each function would read source maps. */
function withFrameCounts<T>(work: () => T): T {
  const { stackTraceLimit, prepareStackTrace } = Error
  // Set in a way that does not throw: `node --frozen-intrinsics` freezes `Error`.
  Reflect.set(Error, 'stackTraceLimit', MAX_FRAMES)
  Reflect.set(Error, 'prepareStackTrace', (_: Error, frames: readonly unknown[]) => frames.length)
  try {
    return work()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace)
  }
}

/** Returns how many frames are below a function; 0 if it is not on the stack. */
function countFrames(below: PublicFunction): number {
  const place: { stack?: unknown } = {}
  Error.captureStackTrace(place, below)
  // A frozen `Error` gives text, which is no number.
  return Number(place.stack) || 0
}

/** Captures the frames from the caller of `entry` on, for an error that occurs after that caller has left the stack. */
export function callerFrames(entry: PublicFunction): () => readonly string[] {
  const place: { stack?: string } = {}
  Error.captureStackTrace(place, entry)
  // The text of a stack is made when it is read.
  return () => {
    return String(place.stack)
      .split('\n')
      .filter((line) => /^ +at /.test(line))
  }
}
