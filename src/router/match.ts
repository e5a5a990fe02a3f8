/**
 * Finding the leaf for a path.
 *
 * At each segment a literal goes before a parameter and a parameter before a wildcard; where the better one leads to
 * nothing, the next is tried. That cannot blow up: a node has one way in, and each way consumes what the path dictates,
 * so a node is reached at one index only and visited at most once for each lookup. The work is bounded by the number of
 * nodes that fit the path, and the depth of the recursion by the segments of the longest template, never by the path.
 */
import { HttpError } from '../errors/http-error.js'
import { childAt, type Leaf, type Node, type Router } from './node.js'
import { NO_PARAMS, ParamsRecord, type Params } from './params.js'
import { hasOtherSpelling } from './spellings.js'
import { findStatic } from './statics.js'
import type { Template } from './template.js'

const SLASH = 47

/**
 * Finds what is registered for a path. Nothing is normalised: a slash more is another path, an empty segment matches no
 * template (RFC 3986 section 6 leaves that to the server). A literal in another spelling (`%73ecret` for `secret`) is
 * found neither as the literal nor as the value of a parameter or a wildcard beside it. Allocates nothing for paths
 * without `%`. Returns the leaf, or `undefined`.
 */
export function match<T>(router: Router<T>, path: string): Leaf<T> | undefined {
  const found = findStatic(router.statics, path)
  if (found !== undefined) return found
  const leaf = walk(router.root, path, 0)
  if (leaf === undefined) return undefined
  const { spellings } = router
  router.isEncoded = path.includes('%')
  return (router.isEncoded || spellings.hasBare) && hasOtherSpelling(spellings, path) ? undefined : leaf
}

/** Cuts the values of the parameters out of a path and decodes them (RFC 3986 section 2.1). */
export function readParams<T>(router: Router<T>, leaf: Leaf<T>, path: string): Params {
  const { template } = leaf
  if (template.names.length === 0) return NO_PARAMS
  const params = new ParamsRecord()
  const { bounds, isEncoded } = router
  let slot = 0
  for (const name of template.names) {
    const value = path.slice(bounds[slot], bounds[slot + 1])
    params[name] = isEncoded && value.includes('%') ? decode(value, name, template) : value
    slot += 2
  }
  return params
}

function decode(value: string, name: string, template: Template): string {
  if (isWildcard(name, template)) refuseSeparators(value, name)
  return decodeURIComponent(value)
}

function refuseSeparators(value: string, name: string): void {
  const found = SEPARATORS.find(({ code }) => value.includes(code))
  if (found === undefined) return
  throw new HttpError(400, `Cannot read "${name}" in the path: it has ${found.what}. ${found.wayOut}`)
}

const SEPARATORS = [
  { code: '%2F', what: 'an encoded slash', wayOut: 'Send "/" instead of "%2F"' },
  { code: '%5C', what: 'an encoded backslash', wayOut: 'Send "/" between segments, and no "%5C"' },
] as const

function isWildcard(name: string, template: Template): boolean {
  return template.segments.some((segment) => segment.kind === 'wildcard' && segment.name === name)
}

// Follows literal characters in a loop, and calls itself only where there is something to come back to.
function walk<T>(start: Node<T>, path: string, from: number): Leaf<T> | undefined {
  let node = start
  let index = from
  while (index < path.length) {
    const child = childAt(node, path.charCodeAt(index))
    if (child === undefined || !continues(child.text, path, index)) return takeAnyText(node, path, index)
    const next = index + child.text.length
    if (node.parameter !== undefined || node.wildcard !== undefined) {
      return walk(child, path, next) ?? takeAnyText(node, path, index)
    }
    node = child
    index = next
  }
  return node.leaf
}

// The first character is known to be equal: it led to the child.
function continues(text: string, path: string, index: number): boolean {
  const { length } = text
  if (index + length > path.length) return false
  for (let at = 1; at < length; at++) {
    if (text.charCodeAt(at) !== path.charCodeAt(index + at)) return false
  }
  return true
}

function takeAnyText<T>(node: Node<T>, path: string, index: number): Leaf<T> | undefined {
  return takeSegment(node, path, index) ?? takeRest(node, path, index)
}

function takeSegment<T>(node: Node<T>, path: string, index: number): Leaf<T> | undefined {
  const { parameter, bounds, slot } = node
  if (parameter === undefined) return undefined
  const end = segmentEnd(path, index)
  if (end === index) return undefined
  bounds[slot] = index
  bounds[slot + 1] = end
  return end === path.length ? parameter.leaf : walk(parameter, path, end)
}

function segmentEnd(path: string, start: number): number {
  let end = start
  while (end < path.length && path.charCodeAt(end) !== SLASH) end++
  return end
}

function takeRest<T>(node: Node<T>, path: string, index: number): Leaf<T> | undefined {
  const { wildcard, bounds, slot } = node
  if (wildcard === undefined || hasEmptySegment(path, index)) return undefined
  bounds[slot] = index
  bounds[slot + 1] = path.length
  return wildcard
}

// The character before the index is a slash.
function hasEmptySegment(path: string, index: number): boolean {
  return path.endsWith('/') || path.indexOf('//', index - 1) !== -1
}
