/** The routes of a router as a tree for people. */
import type { Leaf, Router } from './node.js'

interface Branch {
  readonly owners: string[]
  readonly below: Map<string, Branch>
}

/**
 * Draws the templates of a router as a tree, segment by segment, each with its owner. At each level literals come in
 * alphabetical order, then parameters, then wildcards: the order in which matching prefers them.
 */
export function printRouter<T>(router: Router<T>): string {
  const root = createBranch()
  for (const leaf of router.leaves) grow(root, leaf)
  return [`/${label(root)}`, ...linesBelow(root)].join('\n')
}

function createBranch(): Branch {
  return { owners: [], below: new Map() }
}

function grow<T>(root: Branch, leaf: Leaf<T>): void {
  let branch = root
  for (const segment of leaf.template.text.slice(1).split('/').filter(Boolean)) {
    const next = branch.below.get(segment) ?? createBranch()
    branch.below.set(segment, next)
    branch = next
  }
  branch.owners.push(leaf.owner)
}

function linesBelow(branch: Branch): string[] {
  const entries = [...branch.below].toSorted(([one], [other]) => compareSegments(one, other))
  return entries.flatMap(([segment, child], index) => linesOf(segment, child, index === entries.length - 1))
}

// A chain without forks or owners takes one line: `repos/{owner}/{repo}`.
function linesOf(text: string, branch: Branch, isLast: boolean): string[] {
  const [only] = branch.below
  if (only !== undefined && branch.below.size === 1 && branch.owners.length === 0) {
    return linesOf(`${text}/${only[0]}`, only[1], isLast)
  }
  const below = linesBelow(branch).map((line) => (isLast ? `   ${line}` : `│  ${line}`))
  return [`${isLast ? '└─' : '├─'} ${text}${label(branch)}`, ...below]
}

function label(branch: Branch): string {
  return branch.owners.map((owner) => `  ${owner}`).join('')
}

function compareSegments(one: string, other: string): number {
  return rank(one) - rank(other) || (one < other ? -1 : 1)
}

function rank(segment: string): number {
  if (!segment.startsWith('{')) return 0
  return segment.endsWith('...}') ? 2 : 1
}
