/** Registering a template. */
import { SetupError } from '../errors/setup-error.js'
import { childAt, createNode, putChild, type Leaf, type Node, type Router } from './node.js'
import { addSpellings } from './spellings.js'
import { addStatic } from './statics.js'
import type { Segment } from './template.js'

/** Registers a template. The order of registration has no influence on what matches. */
export function insert<T>(router: Router<T>, leaf: Leaf<T>): void {
  if (leaf.template.names.length === 0) insertStatic(router, leaf)
  else insertInTree(router, leaf)
  addSpellings(router.spellings, leaf.template)
  router.leaves.push(leaf)
}

function insertStatic<T>(router: Router<T>, leaf: Leaf<T>): void {
  const path = `/${leaf.template.segments.map(literalText).join('/')}`
  refuseSecond(router.statics.values.get(path), leaf)
  addStatic(router.statics, path, leaf)
}

// Parameters and wildcards are edges of their own; all text between two of them goes in as one.
function insertInTree<T>(router: Router<T>, leaf: Leaf<T>): void {
  let node = router.root
  let text = ''
  for (const segment of leaf.template.segments) {
    text += `/${literalText(segment)}`
    if (segment.kind === 'literal') continue
    node = descend(node, text)
    text = ''
    if (segment.kind === 'wildcard') return endInWildcard(node, leaf)
    node = node.parameter ??= createNode('', node.slot + 2, recordedBounds(node))
  }
  node = descend(node, text)
  refuseSecond(node.leaf, leaf)
  node.leaf = leaf
}

function literalText(segment: Segment): string {
  return segment.kind === 'literal' ? segment.text : ''
}

function endInWildcard<T>(node: Node<T>, leaf: Leaf<T>): void {
  refuseSecond(node.wildcard, leaf)
  recordedBounds(node)
  node.wildcard = leaf
}

// Makes room for what begins at this node: matching only overwrites.
function recordedBounds<T>(node: Node<T>): number[] {
  while (node.bounds.length < node.slot + 2) node.bounds.push(0)
  return node.bounds
}

function descend<T>(from: Node<T>, text: string): Node<T> {
  let node = from
  let rest = text
  while (rest !== '') {
    const child = childAt(node, rest.charCodeAt(0)) ?? addChild(node, rest)
    const shared = sharedLength(child.text, rest)
    node = shared < child.text.length ? split(node, child, shared) : child
    rest = rest.slice(shared)
  }
  return node
}

function addChild<T>(node: Node<T>, text: string): Node<T> {
  const child = createNode<T>(text, node.slot, node.bounds)
  putChild(node, child)
  return child
}

function sharedLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

// Puts a new node between parent and child, where the child's text parts from the text that is being added.
function split<T>(parent: Node<T>, child: Node<T>, length: number): Node<T> {
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
