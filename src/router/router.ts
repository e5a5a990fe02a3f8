/**
 * Router: a radix tree of path templates.
 *
 * @see docs/decisions/0002-one-class-a-path.md
 */
import { SetupError } from '../errors/setup-error.js'
import { addSpellings, createSpellings, type Spellings } from './spellings.js'
import type { Segment, Template } from './template.js'

/** Result of a match. */
export interface Leaf<T> {
  readonly template: Template
  /** Name of the route, for errors. */
  readonly owner: string
  readonly value: T
}

/** Node of the tree. It can have a parameter or a wildcard only if its text ends with `/`. */
export interface RouterNode<T> {
  /** Literal characters of the edge to this node; empty for the root and after a parameter. */
  text: string
  /** Literal children. The index is the code of the first character minus `base`. A `Map` would cost 50 ns more per parameter. */
  readonly children: (RouterNode<T> | undefined)[]
  base: number
  /** Node after a parameter, which matches one segment. */
  parameter: RouterNode<T> | undefined
  wildcard: Leaf<T> | undefined
  /** Result for a path that ends at this node. */
  leaf: Leaf<T> | undefined
  /** Index in `bounds` of the parameter or wildcard that starts at this node. */
  readonly slot: number
  /** Bounds of the router. Each node refers to them, so that they are not an argument of each call. */
  readonly bounds: number[]
}

/** Finds the leaf for a path: `insert` adds templates, `match` searches them. */
export interface Router<T> {
  /** Also contains paths without parameters, because a `Map` computes the hash of each path, which costs 70 ns. */
  readonly root: RouterNode<T>
  readonly spellings: Spellings
  /** Start and end of each parameter in the path of the last match, in the order of the names. */
  readonly bounds: number[]
  /** Whether the path of the last match has a percent-encoding. Computed once for all parameters. */
  isEncoded: boolean
}

/** Creates a router. Routers with the same `spellings` reject other spellings of each other's literals. */
export function createRouter<T>(spellings: Spellings = createSpellings()): Router<T> {
  const bounds: number[] = []
  const root = createNode<T>('', 0, bounds)
  return { root, spellings, bounds, isEncoded: false }
}

function createNode<T>(text: string, slot: number, bounds: number[]): RouterNode<T> {
  return { text, children: [], base: 0, parameter: undefined, wildcard: undefined, leaf: undefined, slot, bounds }
}

/** Registers a template. The order of registration does not affect matching. */
export function insertLeaf<T>(router: Router<T>, leaf: Leaf<T>): void {
  insertInTree(router.root, leaf)
  addSpellings(router.spellings, leaf.template)
}

/** Adds an edge for each parameter and wildcard, and for all literal text between two of them. */
function insertInTree<T>(root: RouterNode<T>, leaf: Leaf<T>): void {
  const { segments } = leaf.template
  let node = root
  let text = segments.length === 0 ? '/' : ''
  for (const segment of segments) {
    text += `/${literalText(segment)}`
    if (segment.kind === 'literal') continue
    node = descendTo(node, text)
    text = ''
    if (segment.kind === 'wildcard') {
      rejectDuplicate(node.wildcard, leaf)
      recordedBounds(node)
      node.wildcard = leaf
      return
    }
    node = node.parameter ??= createNode('', node.slot + 2, recordedBounds(node))
  }
  node = descendTo(node, text)
  rejectDuplicate(node.leaf, leaf)
  node.leaf = leaf
}

function literalText(segment: Segment): string {
  return segment.kind === 'literal' ? segment.text : ''
}

/** Grows `bounds` for the parameter or wildcard of a node, because matching only overwrites elements. */
function recordedBounds<T>(node: RouterNode<T>): number[] {
  while (node.bounds.length < node.slot + 2) node.bounds.push(0)
  return node.bounds
}

function descendTo<T>(from: RouterNode<T>, text: string): RouterNode<T> {
  let node = from
  let remainingText = text
  while (remainingText !== '') {
    const first = remainingText.charAt(0)
    const child = node.children.find((other) => other?.text.startsWith(first)) ?? addChild(node, remainingText)
    const shared = sharedLength(child.text, remainingText)
    node = shared < child.text.length ? splitNode(node, child, shared) : child
    remainingText = remainingText.slice(shared)
  }
  return node
}

function addChild<T>(node: RouterNode<T>, text: string): RouterNode<T> {
  return putChild(node, createNode<T>(text, node.slot, node.bounds))
}

/** Stores a child at the index of its first character, and replaces an existing one. */
function putChild<T>(node: RouterNode<T>, child: RouterNode<T>): RouterNode<T> {
  const { children } = node
  const code = child.text.charCodeAt(0)
  if (children.length === 0) node.base = code
  for (; code < node.base; node.base--) children.unshift(undefined)
  while (code - node.base >= children.length) children.push(undefined)
  children[code - node.base] = child
  return child
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

/** Inserts a node between parent and child, after the text that the child and the new template have in common. */
function splitNode<T>(parent: RouterNode<T>, child: RouterNode<T>, length: number): RouterNode<T> {
  const between = addChild(parent, child.text.slice(0, length))
  child.text = child.text.slice(length)
  putChild(between, child)
  return between
}

function rejectDuplicate<T>(first: Leaf<T> | undefined, second: Leaf<T>): void {
  if (first === undefined) return
  throw new SetupError(
    'ROUTE_CONFLICT',
    `Cannot register the path "${second.template.text}" of "${second.owner}": ` +
      `"${first.template.text}" of "${first.owner}" matches the same requests. Remove one or change a literal segment`,
  )
}
