/** Projections of objects with named members and of lists, which most schemas are. */
import { isNever, plainItems, plainMembers, type JsonSchema } from '../json-schema.js'
import { keep, MemberProjects, projectStructure, rejectAll, type Project } from './project-value.js'
import type { Structures } from './structures.js'

const OBJECT: Structures = { object: true, array: false, isImplied: false }
const ARRAY: Structures = { object: false, array: true, isImplied: false }
const NO_ITEMS: readonly Project[] = []
const projectScalars = projectStructure({
  members: null,
  items: { first: NO_ITEMS, rest: rejectAll },
  structures: ARRAY,
})

export function plainProject(schema: JsonSchema, compileOne: (schema: JsonSchema) => Project): Project | null {
  const compile = (part: JsonSchema): Project | undefined => (isNever(part) ? undefined : compileOne(part))
  const members = plainMembers(schema)
  if (members !== null) {
    const named = members.map(([key, member]) => [key, compile(member)] as const)
    return projectStructure({ members: new MemberProjects(named, undefined), items: null, structures: OBJECT })
  }
  const items = plainItems(schema)
  if (items === null) return null
  const projectRest = compile(items)
  if (projectRest === rejectAll) return projectScalars
  return projectStructure({
    members: null,
    items: projectRest === keep ? null : { first: NO_ITEMS, rest: projectRest },
    structures: ARRAY,
  })
}
