/** The metrics and labels of PromQL expressions, found with the parser of Prometheus' web interface. */
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'

/** Series that an expression selects. */
export interface Selector {
  readonly metric: string
  readonly labels: readonly string[]
}

/** A parsed expression. */
export interface Expression {
  readonly selectors: readonly Selector[]
  /** Labels in `by`, `without`, `on` and `ignoring`. */
  readonly groupings: readonly string[]
  /** The expression without a comparison at its top. */
  readonly value: string
}

/** Parses an expression. Throws if it is not PromQL. */
export function parseExpression(text: string): Expression {
  const root = parser.parse(text).topNode
  const read = ({ from, to }: SyntaxNode): string => text.slice(from, to)
  const error = findNodes(root, (node) => node.type.isError)[0]
  if (error !== undefined) throw new Error(`Cannot parse ${text}: error at ${text.slice(error.from)}`)
  const labels = (node: SyntaxNode): string[] => findNodes(node, isNamed('LabelName')).map(read)
  return {
    selectors: findNodes(root, isNamed('VectorSelector')).map((node) => ({
      metric: findNodes(node, isNamed('Identifier')).map(read).join(),
      labels: labels(node),
    })),
    groupings: findNodes(root, isNamed('GroupingLabels')).flatMap(labels),
    value: withoutComparison(root.firstChild ?? root, read),
  }
}

function withoutComparison(node: SyntaxNode, read: (node: SyntaxNode) => string): string {
  const isComparison = ['Gtr', 'Lss', 'Gte', 'Lte', 'Eql', 'Neq'].some((name) => node.getChild(name) !== null)
  return read(isComparison ? (node.firstChild ?? node) : node)
}

function isNamed(name: string): (node: SyntaxNode) => boolean {
  return (node) => node.name === name
}

function findNodes(node: SyntaxNode, isFound: (node: SyntaxNode) => boolean): SyntaxNode[] {
  const found: SyntaxNode[] = isFound(node) ? [node] : []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(...findNodes(child, isFound))
  return found
}
