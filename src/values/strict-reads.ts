/** Objects that throw when code reads a name that they do not have. */

/** `await` and `JSON.stringify` read these names of every object. */
const LANGUAGE_NAMES: readonly unknown[] = ['then', 'toJSON']

/** Creates the error for a name; `null` allows to read it. The first frame is the code that reads. */
type CreateError = (name: string, object: object, frames: readonly string[]) => Error | null

/**
 * Returns a prototype. Reading a name that neither an object nor its prototypes above have throws, but `in` works as always. Names
 * that exist cost nothing. Node, for `console.log`, and libraries may read anything, because they look at what an object may be.
 */
export function strictPrototype(createError: CreateError): object {
  const readProperty = (target: object, key: string | symbol, object: object): unknown => {
    if (typeof key === 'symbol' || key in target) return Reflect.get(target, key, object)
    if (LANGUAGE_NAMES.includes(key)) return undefined
    const frames = readFrames(readProperty)
    const [reader = ''] = frames
    if (/\bnode:|[\\/]node_modules[\\/]/.test(reader)) return undefined
    const error = createError(key, object, frames)
    if (error === null) return undefined
    Error.captureStackTrace(error, readProperty)
    throw error
  }
  return new Proxy({}, { get: readProperty })
}

function readFrames(below: (target: object, key: string, object: object) => unknown): readonly string[] {
  const place: { stack?: string } = {}
  Error.captureStackTrace(place, below)
  return String(place.stack)
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
}
