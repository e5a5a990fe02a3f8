/** Removes comments from sources, for the parts of the package without comments. */
import ts from 'typescript'

/** Returns a source without its comments. A comment that fills its lines is removed with them. */
export function withoutComments(source) {
  const ranges = new Map()
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true))
  const kept = [...ranges].toSorted(([a], [b]) => b - a)
  return kept.reduce((text, [pos, end]) => text.slice(0, pos) + text.slice(end), source)

  function visit(node) {
    for (const find of [ts.getLeadingCommentRanges, ts.getTrailingCommentRanges]) {
      const start = find === ts.getLeadingCommentRanges ? node.pos : node.end
      for (const { pos, end } of find(source, start) ?? []) ranges.set(...wholeLine(source, pos, end))
    }
    node.getChildren().forEach(visit)
  }
}

/** Extends the range of a comment to whole lines if they contain nothing else. */
function wholeLine(source, pos, end) {
  const before = /\n?[ \t]*$/.exec(source.slice(0, pos))?.[0] ?? ''
  const fillsLines = (before.startsWith('\n') || pos === before.length) && /^[ \t]*\n/.test(source.slice(end))
  return fillsLines ? [pos - before.length, end] : [pos, end]
}
