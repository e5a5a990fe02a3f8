/**
 * A plugin for typedoc: groups the exports of an entry by its headings, which are lines such as `// # Application`, and names its
 * module like the import, `verbena/client`.
 */
import { readFileSync } from 'node:fs'
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc'

/** Comments of names, such as `@deprecated`. */
const COMMENTS = /\/\*\*.*?\*\//g
const HEADING = /^\/\/ # (.+)$/
const NAMES = /export (?:type )?\{([^}]*)\}/g

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const groups = groupsOf(`src/${module.name}.ts`)
      for (const child of module.children ?? []) addGroup(child, groups.get(child.name))
      module.name = module.name === 'index' ? 'verbena' : `verbena/${module.name}`
    }
  })
}

/** Reads the group of each name. Entries without headings have no groups. */
function groupsOf(path) {
  const groups = new Map()
  for (const part of readFileSync(path, 'utf8').split(/^(?=\/\/ # )/m)) {
    const [, heading] = HEADING.exec(part.split('\n')[0]) ?? []
    if (heading === undefined) continue
    for (const [, names] of part.matchAll(NAMES)) {
      for (const name of names.replace(COMMENTS, '').split(',')) groups.set(name.trim(), heading)
    }
  }
  return groups
}

function addGroup(reflection, group) {
  if (group === undefined) return
  // The comment of a function is on its signature, but typedoc reads the group from a comment on the function.
  reflection.comment ??= new Comment()
  reflection.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: group }]))
}
