/** Parses JSON bodies (RFC 8259), without coercion and without dangerous keys. */
import { isUtf8 } from 'node:buffer'
import { frameworkError } from '../errors/http-error.js'
import { isObject } from '../values/objects.js'

/**
 * Parses JSON. Throws an `HttpError` 400 for malformed UTF-8 or JSON, more than `depth` levels, and dangerous keys.
 *
 * @param what name of the value in error messages
 */
export function parseJson(bytes: Buffer, { depth }: { readonly depth: number }, what: string = 'The body'): unknown {
  const text = bytes.toString('utf8')
  // Invalid bytes are decoded as U+FFFD. A string without it was valid UTF-8.
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw frameworkError(400, `${what} is not valid UTF-8`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw frameworkError(400, `${what} is not valid JSON`, { cause: error })
  }
  // The value may have dangerous keys or too many levels. Inspecting every value would cost more than parsing it.
  const mayHaveKeys = text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
  if (mayHaveKeys || (text.length > 2 * depth && opensMoreThan(text, depth))) inspectJson(value, depth, what)
  return value
}

/** Throws an `HttpError` 400 for malformed UTF-8. */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw frameworkError(400, 'The body is not valid UTF-8')
  return bytes.toString('utf8')
}

function opensMoreThan(text: string, depth: number): boolean {
  let openBrackets = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index >= 0; index = text.indexOf(bracket, index + 1)) {
      if (++openBrackets > depth) return true
    }
  }
  return false
}

/** Inspects level by level instead of recursively, so that 100,000 levels cannot exhaust the stack. */
function inspectJson(value: unknown, depth: number, what: string): void {
  let level = [value].filter(isObject)
  for (let reached = 1; level.length > 0; reached++) {
    if (reached > depth) throw frameworkError(400, `${what} is nested deeper than ${depth} levels`)
    for (const container of level) {
      if (Object.hasOwn(container, '__proto__')) throw frameworkError(400, `${what} contains a "__proto__" key`)
      const inner: unknown = Object.getOwnPropertyDescriptor(container, 'constructor')?.value
      if (!isObject(inner) || !Object.hasOwn(inner, 'prototype')) continue
      throw frameworkError(400, `${what} contains a "constructor.prototype" key`)
    }
    level = level.flatMap((container) => Object.values(container).filter(isObject))
  }
}
