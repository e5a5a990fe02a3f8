/** Reads the texts of a file that people read: comments, test titles, messages, names, and paragraphs of Markdown. */
import { readFileSync } from 'node:fs'
import ts from 'typescript'

const DIRECTIVE = /^\s*(?:eslint|oxlint|prettier|@ts-|c8|v8|#region|#endregion|<reference|@__|@internal\s*$|knip)/
const TAG =
  /^\s*@(?:param|returns?|throws|template|typeParam|deprecated|default|defaultValue|see|type|internal|link|module|remarks)\b[ \t]*(?:\{[^}]*\}[ \t]*)?/gm
const LOGGERS =
  /(?:^|\.)(?:log|logger|tryLog|report|reportError|warn|error|info|debug|fatal|trace|warning)(?:\.(?:error|warn|info|debug))?$/
const FAILURES = /(?:Error|Flaw|Violation|Exception)$|^(?:rule|\w+Rule|option|refusal)$/
const TITLES = /^(?:it|test|describe|suite)(?:\.(?:skip|only|each|todo))?$/
const FENCE = /^\s*(?:>\s*)?(`{3,}|~{3,})/

/**
 * Reads all texts of a file.
 *
 * @param path from the root of the project, with `/`
 * @returns pairs of a kind and its texts, each with `text`, `line` and `file`
 */
export function readTexts(path) {
  const source = readFileSync(path, 'utf8')
  const located = (kind, entries) => [kind, entries.map((entry) => ({ ...entry, file: path }))]
  if (path.endsWith('.md')) return [located('docs', readMarkdown(source))]
  if (!/\.(?:ts|mjs)$/.test(path) || isGenerated(path, source)) return []
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const comments = located('comments', readComments(file))
  if (/\.test(?:-d)?\.ts$/.test(path)) return [comments, located('titles', readTitles(file))]
  const names = located('names', readNames(file))
  // Strings of test support and scripts are data.
  return path.startsWith('src/') ? [comments, located('messages', readMessages(file)), names] : [comments, names]
}

/** Number of words in a text. */
export function countWords(text) {
  return text.split(' ').filter((word) => /[A-Za-z]/.test(word)).length
}

function isGenerated(path, source) {
  return (
    path.includes('.generated.') || /\b(?:@generated|generated (?:by|from)|do not edit)\b/i.test(source.slice(0, 300))
  )
}

function lineAt(file, position) {
  return file.getLineAndCharacterOfPosition(position).line + 1
}

function visitAll(file, visit) {
  const walk = (node) => {
    visit(node)
    ts.forEachChild(node, walk)
  }
  walk(file)
}

function readComments(file) {
  const source = file.text
  const comments = []
  const seen = new Set()
  const collect = (position, read) => {
    for (const range of read(source, position) ?? []) {
      if (seen.has(range.pos)) continue
      seen.add(range.pos)
      comments.push(range)
    }
  }
  const walk = (node) => {
    const children = node.getChildren(file)
    if (children.length === 0) {
      collect(node.getFullStart(), ts.getLeadingCommentRanges)
      collect(node.end, ts.getTrailingCommentRanges)
    }
    for (const child of children) if (!ts.isJSDoc(child)) walk(child)
  }
  walk(file)
  return joinLineComments(
    file,
    comments.toSorted((one, other) => one.pos - other.pos),
  )
    .filter(({ text }) => !DIRECTIVE.test(text))
    .map(({ text, line }) => ({ line, text: clean(proseIn(text)) }))
    .filter(({ text }) => countWords(text) > 3)
}

/** Consecutive `//` lines are one comment. */
function joinLineComments(file, ranges) {
  const joined = []
  for (const { pos, end, kind } of ranges) {
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia
    const text = isLine
      ? file.text.slice(pos + 2, end).trim()
      : file.text.slice(pos + 2, end - 2).replace(/^\s*\*+ ?/gm, '')
    const line = lineAt(file, pos)
    const last = joined.at(-1)
    const startsLine = /(?:^|\n)[ \t]*$/.test(file.text.slice(Math.max(0, pos - 200), pos))
    if (isLine && startsLine && last?.isLine && last.endLine === line - 1 && !DIRECTIVE.test(last.text)) {
      last.text += ` ${text}`
      last.endLine = line
    } else joined.push({ text, line, endLine: lineAt(file, end), isLine: isLine && startsLine })
  }
  return joined
}

function proseIn(comment) {
  return comment
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/@example[\s\S]*?(?=\n\s*@|$)/g, ' ')
    .replace(TAG, ' ')
}

/** The text of a string or template; `X` takes the place of each expression. */
function stringText(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return null
  return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('')
}

function readTitles(file) {
  const titles = []
  visitAll(file, (node) => {
    if (!ts.isCallExpression(node) || node.arguments[0] === undefined) return
    const called = node.expression.getText(file)
    const text = TITLES.test(called) ? stringText(node.arguments[0]) : null
    if (text === null) return
    const line = lineAt(file, node.arguments[0].getStart(file))
    titles.push({ line, text: clean(text), isTest: !/^(?:describe|suite)/.test(called) })
  })
  return titles
}

function readMessages(file) {
  const messages = []
  visitAll(file, (node) => {
    const text = stringText(node)
    if (text === null || !callsAround(node, file).some((name) => FAILURES.test(name) || LOGGERS.test(name))) return
    messages.push({ line: lineAt(file, node.getStart(file)), text: clean(text) })
  })
  return messages.filter(({ text }) => countWords(text) > 2 && /[a-z]{2} [a-z]/.test(text))
}

/** Names of the functions and constructors that a node is an argument of, up to the nearest block. */
function callsAround(node, file) {
  const names = []
  for (let at = node; at.parent !== undefined && !ts.isBlock(at); at = at.parent) {
    const { parent } = at
    if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== at) {
      names.push(parent.expression.getText(file))
    }
  }
  return names
}

function readNames(file) {
  const names = []
  const add = (nameKind, name) => {
    if (name !== undefined) names.push({ nameKind, text: name.text, line: lineAt(file, name.getStart(file)) })
  }
  for (const node of file.statements) {
    if (ts.isFunctionDeclaration(node)) add('function', node.name)
    else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)) {
      add('type', node.name)
    } else if (ts.isVariableStatement(node)) {
      for (const { name } of node.declarationList.declarations) {
        if (ts.isIdentifier(name) && /^[A-Z][A-Z0-9_]+$/.test(name.text)) add('const', name)
      }
    }
  }
  return names
}

/** Paragraphs, list items, headings and table rows, without code. */
function readMarkdown(source) {
  const found = []
  let block = []
  let start = 0
  let fence = null
  const flush = () => {
    const text = clean(block.join(' '))
    if (countWords(text) > 6) found.push({ line: start + 1, text })
    block = []
  }
  for (const [index, raw] of source.split('\n').entries()) {
    const mark = FENCE.exec(raw)?.[1]
    if (mark !== undefined && (fence === null || raw.trim().startsWith(fence))) {
      flush()
      fence = fence === null ? mark : null
      continue
    }
    if (fence !== null) continue
    const line = raw.replace(/<!--.*?-->/g, '').replace(/^\s*>\s?/, '')
    const isWhole = /^\s{0,3}#{1,6}\s|^\s*\|/.test(line)
    if (line.trim() === '' || isWhole || /^\s*(?:[-*+]|\d+\.)\s+/.test(line)) flush()
    if (line.trim() === '' || /^\s*\|[\s:|-]+\|?\s*$/.test(line)) continue
    if (block.length === 0) start = index
    block.push(line.replace(/^\s*(?:[-*+]|\d+\.|#{1,6})\s+/, '').replaceAll('|', ' . '))
    if (isWhole) flush()
  }
  flush()
  return found
}

/** Removes code, links and quotations, whose words are not ours. */
function clean(text) {
  return text
    .replace(/<code>[\s\S]*?<\/code>/g, 'X')
    .replace(/``[^`]+``|`[^`]*`/g, 'X')
    .replace(/\{@link ([^}|]+)[^}]*\}/g, 'X')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\bhttps?:\/\/\S+/g, 'X')
    .replace(/(?:^|\s)"[^"]{1,120}"(?=[\s.,;:)]|$)/g, ' X')
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
