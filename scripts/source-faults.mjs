/** Finds faults that can be planted in a source, by its syntax tree. */
import ts from 'typescript'

/** Kinds of faults: a condition turned, a bound off by one, an await dropped, a call removed, the name of a header changed. */
export const KINDS = ['condition', 'bound', 'await', 'call', 'header']

const OTHER_BOUND = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const HEADER =
  /^(?:accept|accept-encoding|accept-ranges|access-control-[a-z-]+|age|allow|authorization|cache-control|connection|content-[a-z-]+|cookie|date|etag|expect|host|idempotency-key|idempotent-replayed|if-[a-z-]+|last-modified|link|location|origin|range|ratelimit[a-z-]*|retry-after|sec-[a-z-]+|set-cookie|trailer|transfer-encoding|upgrade|vary|www-authenticate|x-[a-z-]+)$/i
/** Code that no test can reach has this comment. */
const UNREACHED = 'c8 ignore'
const MAX_CONTEXT = 300

/**
 * Returns the faults of a source. The `key` of a fault is its kind, its expression and the statement around it, so that the same fault can
 * be found in another version of the file; faults whose key is not unique are omitted.
 *
 * @returns faults with their line, and with `start`, `end` and `replacement` of the text
 */
export function findFaults(source) {
  const tree = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  const faults = []
  visit(tree)
  const counts = new Map()
  for (const { key } of faults) counts.set(key, (counts.get(key) ?? 0) + 1)
  return faults.filter(({ key }) => counts.get(key) === 1)

  function visit(node) {
    if (isUnreached(node, source)) return
    for (const { kind, target, edit, replacement } of faultsAt(node)) {
      const { line } = tree.getLineAndCharacterOfPosition(target.getStart())
      const key = [kind, target.getText(), statementText(target)].map(withoutSpace).join('\n')
      faults.push({ kind, key, line: line + 1, start: edit.getStart(), end: edit.getEnd(), replacement })
    }
    ts.forEachChild(node, visit)
  }
}

/** Returns the text with the fault. */
export function plantFault(source, { start, end, replacement }) {
  return source.slice(0, start) + replacement + source.slice(end)
}

function faultsAt(node) {
  const conditions = conditionsAt(node).map((target) => ({
    ...{ kind: 'condition', target, edit: target },
    replacement: `!(${target.getText()})`,
  }))
  return [
    ...conditions,
    ...[boundAt(node), awaitAt(node), callAt(node), headerAt(node)].filter((fault) => fault !== null),
  ]
}

/** Conditions of loops are omitted, because a turned one often has no end. */
function conditionsAt(node) {
  if (ts.isIfStatement(node)) return [node.expression]
  if (ts.isConditionalExpression(node)) return [node.condition]
  return []
}

function boundAt(node) {
  const other = ts.isBinaryExpression(node) ? OTHER_BOUND[node.operatorToken.getText()] : undefined
  return other === undefined ? null : { kind: 'bound', target: node, edit: node.operatorToken, replacement: other }
}

function awaitAt(node) {
  if (!ts.isAwaitExpression(node)) return null
  const replacement = `${isWholeStatement(node) ? 'void ' : ''}(${node.expression.getText()})`
  return { kind: 'await', target: node, edit: node, replacement }
}

function callAt(node) {
  if (!ts.isCallExpression(node) || !isWholeStatement(node) || node.expression.kind === ts.SyntaxKind.SuperKeyword) {
    return null
  }
  return { kind: 'call', target: node, edit: node, replacement: 'void 0' }
}

function headerAt(node) {
  if (!ts.isStringLiteral(node) || !HEADER.test(node.text)) return null
  const { parent } = node
  const replacement = `'x-${node.text}'`
  if (ts.isPropertyAssignment(parent) && parent.name === node) {
    return { kind: 'header', target: parent.initializer, edit: node, replacement }
  }
  const isValue =
    ts.isElementAccessExpression(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isBinaryExpression(parent) ||
    (ts.isCallExpression(parent) && parent.expression.kind !== ts.SyntaxKind.ImportKeyword) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node)
  return isValue ? { kind: 'header', target: node, edit: node, replacement } : null
}

function isWholeStatement({ parent }) {
  return ts.isExpressionStatement(parent)
}

function isUnreached(node, source) {
  return (ts.getLeadingCommentRanges(source, node.pos) ?? []).some(({ pos, end }) =>
    source.slice(pos, end).includes(UNREACHED),
  )
}

function statementText(node) {
  let statement = node
  while (!ts.isSourceFile(statement.parent) && !isStatement(statement)) statement = statement.parent
  return statement.getText().slice(0, MAX_CONTEXT)
}

function isStatement({ kind }) {
  return (
    kind >= ts.SyntaxKind.FirstStatement && kind <= ts.SyntaxKind.LastStatement && kind !== ts.SyntaxKind.EmptyStatement
  )
}

function withoutSpace(text) {
  return text.replaceAll(/\s+/g, ' ')
}
