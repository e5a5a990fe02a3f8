/** Gives what a function returns; another value where it throws. */
export function valueOr<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}
