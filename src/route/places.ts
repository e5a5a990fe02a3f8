/** Where contracts were written, for the console: the stack is captured once for each, when its class is made. */

const places = new WeakMap<object, { readonly stack?: string }>()
let isOn = false

export function keepPlaces(): void {
  isOn = true
}

export function notePlace(spec: object, below: (...given: readonly never[]) => unknown): void {
  if (!isOn) return
  const { stackTraceLimit } = Error
  const place: { stack?: string } = {}
  // Set in a way that does not throw: `node --frozen-intrinsics` freezes `Error`. There the stack is as deep as it always is.
  Reflect.set(Error, 'stackTraceLimit', 1)
  // The text of a stack is made when it is read.
  Error.captureStackTrace(place, below)
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  places.set(spec, place)
}

/** The line of the stack where a contract was made; `undefined` where it was not kept. */
export function placeOf(spec: object): string | undefined {
  return places
    .get(spec)
    ?.stack?.split('\n')
    .find((line) => line.trimStart().startsWith('at '))
}
