/** Returns the result of a function; `otherwise` if it throws. */
export function valueOr<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}
