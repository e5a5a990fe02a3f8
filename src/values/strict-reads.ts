/** Objects that throw if code reads an unknown property. */

/** `await` and `JSON.stringify` read these properties of every object. */
const LANGUAGE_NAMES: readonly unknown[] = ['then', 'toJSON']

/** Creates the error for an unknown property; `null` allows the read. The first frame is the code that reads the property. */
type CreateError = (name: string, object: object, frames: readonly string[]) => Error | null

/**
 * Returns a prototype that throws if code reads an unknown property. `in` works as usual, and reading known properties is not slower.
 * Node (for `console.log`) and libraries may read any property, because they inspect unknown objects.
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
