/** Stacks of setup errors. They begin at your call of a Verbena function and omit Verbena's own frames. */

/** Exported function of Verbena. */
export type PublicFunction = (...args: never[]) => unknown

const publicFunctions = new Set<PublicFunction>()

/** Maximum number of frames between the call of a public function and an error. */
const MAX_FRAMES = 100

/** Registers public functions, so that stacks of their setup errors begin at the caller. */
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

/** Runs `work` with `stack` set to the number of frames, because formatting a stack for each function would read source maps. */
function withFrameCounts<T>(work: () => T): T {
  const { stackTraceLimit, prepareStackTrace } = Error
  // `Reflect.set` does not throw if `node --frozen-intrinsics` has frozen `Error`.
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
  // If `Error` is frozen, the stack is text and `Number` returns NaN.
  return Number(place.stack) || 0
}

/** Captures the frames from the caller of `entry`, for errors that occur later, when the caller is not on the stack. */
export function callerFrames(entry: PublicFunction): () => readonly string[] {
  const place: { stack?: string } = {}
  Error.captureStackTrace(place, entry)
  // Node formats a stack on the first read.
  return () => {
    return String(place.stack)
      .split('\n')
      .filter((line) => /^ +at /.test(line))
  }
}
