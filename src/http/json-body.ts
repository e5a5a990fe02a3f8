/** JSON bodies: bytes to value, with nothing coerced and nothing dangerous let through (RFC 8259). */
import { isUtf8 } from 'node:buffer'
import { frameworkError } from '../errors/http-error.js'
import { isObject } from '../values/objects.js'

/** @param what the value in messages for clients */
export function parseJson(bytes: Buffer, depth: number, what: string = 'The body'): unknown {
  const text = bytes.toString('utf8')
  // What cannot be decoded becomes U+FFFD: a text without it was valid.
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw frameworkError(400, `${what} is not valid UTF-8`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw frameworkError(400, `${what} is not valid JSON`, { cause: error })
  }
  if (isSuspicious(text, depth)) inspect(value, depth, what)
  return value
}

/** Walking every value would cost more than parsing it: only a text that could offend is looked into. */
function isSuspicious(text: string, depth: number): boolean {
  if (text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')) return true
  return text.length > 2 * depth && opensMoreThan(text, depth)
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

/** Level by level instead of by recursion: 100,000 levels must not exhaust the stack. */
function inspect(value: unknown, depth: number, what: string): void {
  let level = [value].filter(isObject)
  for (let reached = 1; level.length > 0; reached++) {
    if (reached > depth) throw frameworkError(400, `${what} nests deeper than ${depth} levels`)
    for (const container of level) refuseDangerousKeys(container, what)
    level = level.flatMap((container) => Object.values(container).filter(isObject))
  }
}

function refuseDangerousKeys(container: object, what: string): void {
  if (Object.hasOwn(container, '__proto__')) throw frameworkError(400, `${what} holds a "__proto__" key`)
  const inner: unknown = Object.getOwnPropertyDescriptor(container, 'constructor')?.value
  if (isObject(inner) && Object.hasOwn(inner, 'prototype')) {
    throw frameworkError(400, `${what} holds a "constructor.prototype" key`)
  }
}
