/** The router's data: a radix tree of templates. */
import { SetupError } from '../errors/setup-error.js'
import { addSpellings, createSpellings, type Spellings } from './spellings.js'
import type { Segment, Template } from './template.js'

/** What a match results in. */
export interface Leaf<T> {
  readonly template: Template
  /** Name of the route, for errors. */
  readonly owner: string
  readonly value: T
}

/** A point in the tree. Only a node that ends right behind a `/` has a parameter or a wildcard. */
export interface RouterNode<T> {
  /** Literal characters on the way into this node; empty for the root and behind a parameter. */
  text: string
  /** The literal ways on, at their first character's code minus `base`; a `Map` would cost 50 ns more for each parameter. */
  readonly children: (RouterNode<T> | undefined)[]
  base: number
  /** Where the way goes on behind one segment of any text. */
  parameter: RouterNode<T> | undefined
  wildcard: Leaf<T> | undefined
  /** What is found when the path ends here. */
  leaf: Leaf<T> | undefined
  /** Where in `bounds` a parameter or wildcard that begins here is recorded. */
  readonly slot: number
  /** The router's bounds, held by every node so that the walk need not carry them along. */
  readonly bounds: number[]
}

/** Finds the leaf for a path: filled by `insert`, asked by `match`. */
export interface Router<T> {
  /** Paths without parameters are in the tree, too: a `Map` of them needs the hash of each path, which costs 70 ns. */
  readonly root: RouterNode<T>
  readonly spellings: Spellings
  /** Start and end of each parameter in the path of the last match, in the order of the names. */
  readonly bounds: number[]
  /** Whether the path of the last match has a percent-encoding: asked once for all parameters. */
  isEncoded: boolean
}

/** Routers that share `spellings` know of each other's literals: what is another spelling to one is so to all. */
export function createRouter<T>(spellings: Spellings = createSpellings()): Router<T> {
  const bounds: number[] = []
  const root = createNode<T>('', 0, bounds)
  return { root, spellings, bounds, isEncoded: false }
}

function createNode<T>(text: string, slot: number, bounds: number[]): RouterNode<T> {
  return { text, children: [], base: 0, parameter: undefined, wildcard: undefined, leaf: undefined, slot, bounds }
}

/** Registers a template. The order of registration has no influence on what matches. */
export function insert<T>(router: Router<T>, leaf: Leaf<T>): void {
  insertInTree(router.root, leaf)
  addSpellings(router.spellings, leaf.template)
}

/** Parameters and wildcards are edges of their own; all text between two of them goes in as one. */
function insertInTree<T>(root: RouterNode<T>, leaf: Leaf<T>): void {
  const { segments } = leaf.template
  let node = root
  let text = segments.length === 0 ? '/' : ''
  for (const segment of segments) {
    text += `/${literalText(segment)}`
    if (segment.kind === 'literal') continue
    node = descend(node, text)
    text = ''
    if (segment.kind === 'wildcard') {
      refuseSecond(node.wildcard, leaf)
      recordedBounds(node)
      node.wildcard = leaf
      return
    }
    node = node.parameter ??= createNode('', node.slot + 2, recordedBounds(node))
  }
  node = descend(node, text)
  refuseSecond(node.leaf, leaf)
  node.leaf = leaf
}

function literalText(segment: Segment): string {
  return segment.kind === 'literal' ? segment.text : ''
}

/** Makes room for what begins at a node: matching only overwrites. */
function recordedBounds<T>(node: RouterNode<T>): number[] {
  while (node.bounds.length < node.slot + 2) node.bounds.push(0)
  return node.bounds
}

function descend<T>(from: RouterNode<T>, text: string): RouterNode<T> {
  let node = from
  let rest = text
  while (rest !== '') {
    const first = rest.charAt(0)
    const child = node.children.find((other) => other?.text.startsWith(first)) ?? addChild(node, rest)
    const shared = sharedLength(child.text, rest)
    node = shared < child.text.length ? splitNode(node, child, shared) : child
    rest = rest.slice(shared)
  }
  return node
}

function addChild<T>(node: RouterNode<T>, text: string): RouterNode<T> {
  return putChild(node, createNode<T>(text, node.slot, node.bounds))
}

/** Puts a child where its first character says, in the place of the one that was there. */
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

/** Puts a new node between parent and child, where the child's text parts from the text that is being added. */
function splitNode<T>(parent: RouterNode<T>, child: RouterNode<T>, length: number): RouterNode<T> {
  const between = addChild(parent, child.text.slice(0, length))
  child.text = child.text.slice(length)
  putChild(between, child)
  return between
}

function refuseSecond<T>(first: Leaf<T> | undefined, second: Leaf<T>): void {
  if (first === undefined) return
  throw new SetupError(
    'ROUTE_CONFLICT',
    `Cannot register the path "${second.template.text}" of "${second.owner}": ` +
      `"${first.template.text}" of "${first.owner}" matches the same requests. Remove one or change a literal segment`,
  )
}
