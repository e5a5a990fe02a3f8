/** The router's data: a table of static paths, and a character radix tree of the templates with parameters. */
import { createSpellings, type Spellings } from './spellings.js'
import { createStatics, type Statics } from './statics.js'
import type { Template } from './template.js'

/** What a match results in: a template with its owner and the value that was registered for it. */
export interface Leaf<T> {
  readonly template: Template
  /** Name of the route, for the texts of errors and for `printRouter`. */
  readonly owner: string
  readonly value: T
}

/**
 * A point in the tree: so many characters of the path are read, and these are the ways on. Only a node that ends right
 * behind a `/` has a parameter or a wildcard.
 */
export interface Node<T> {
  /** Literal characters on the way into this node; empty for the root and behind a parameter. */
  text: string
  /** Nodes for the literal ways on, at their first character's code minus `base`: found in one step, however many. */
  children: (Node<T> | undefined)[]
  /** Code of the first character that `children` can hold. */
  base: number
  /** Where the way goes on behind one segment of any text. */
  parameter: Node<T> | undefined
  /** What takes the rest of the path. */
  wildcard: Leaf<T> | undefined
  /** What is found when the path ends here. */
  leaf: Leaf<T> | undefined
  /** Where in `bounds` a parameter or wildcard that begins here is recorded. */
  readonly slot: number
  /** The router's bounds, held by every node so that the walk need not carry them along. */
  readonly bounds: number[]
}

/** Finds the leaf for a path. Made by {@link createRouter}, filled by `insert`, asked by `match`. */
export interface Router<T> {
  /** The templates without parameters. */
  readonly statics: Statics<Leaf<T>>
  /** The tree of all other templates. */
  readonly root: Node<T>
  /** The literals of all templates, to know them in other spellings. */
  readonly spellings: Spellings
  /** Start and end of each parameter in the path of the last match, in the order of the names. */
  readonly bounds: number[]
  /** Whether the path of the last match has a percent-encoding: asked once for all parameters. */
  isEncoded: boolean
  /** Every leaf in order of registration. */
  readonly leaves: Leaf<T>[]
}

/** Makes a router without routes. */
export function createRouter<T>(): Router<T> {
  const bounds: number[] = []
  const root = createNode<T>('', 0, bounds)
  return { statics: createStatics(), root, spellings: createSpellings(), bounds, isEncoded: false, leaves: [] }
}

/** Makes a node that leads nowhere yet. */
export function createNode<T>(text: string, slot: number, bounds: number[]): Node<T> {
  return {
    text,
    children: [],
    base: 0,
    parameter: undefined,
    wildcard: undefined,
    leaf: undefined,
    slot,
    bounds,
  }
}

/** Puts a child where its first character says, replacing the one that was there. */
export function putChild<T>(node: Node<T>, child: Node<T>): void {
  const code = child.text.charCodeAt(0)
  if (node.children.length === 0) node.base = code
  while (code < node.base) {
    node.children.unshift(undefined)
    node.base--
  }
  while (code - node.base >= node.children.length) node.children.push(undefined)
  node.children[code - node.base] = child
}

/** Finds the child whose text begins with a character. */
export function childAt<T>(node: Node<T>, code: number): Node<T> | undefined {
  // Compared before reading: an index outside of the array would take V8's slow way for the whole program.
  const at = code - node.base
  return at >= 0 && at < node.children.length ? node.children[at] : undefined
}
