/**
 * A plugin of typedoc: groups what an entry exports by the headings in it, lines such as `// # Application`, and names its module
 * by what is imported, `verbena/client`.
 */
import { readFileSync } from 'node:fs'
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc'

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

/** Group by name; entries without headings have none. */
function groupsOf(path) {
  const groups = new Map()
  for (const part of readFileSync(path, 'utf8').split(/^(?=\/\/ # )/m)) {
    const [, heading] = HEADING.exec(part.split('\n')[0]) ?? []
    if (heading === undefined) continue
    for (const [, names] of part.matchAll(NAMES)) {
      for (const name of names.split(',')) groups.set(name.trim(), heading)
    }
  }
  return groups
}

function addGroup(reflection, group) {
  if (group === undefined) return
  // A function has its text on its signature, and typedoc groups it by a comment of its own.
  reflection.comment ??= new Comment()
  reflection.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: group }]))
}
