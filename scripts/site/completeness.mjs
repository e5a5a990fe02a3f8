/** Examples of the reference, and the check that each function has parameters, a result, errors, an example and a guide. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommentTag, ReflectionKind } from 'typedoc'
import { ROOT } from '../tools.mjs'

/** Functions without errors. Requests of a client can fail, which its comment describes. */
const NEVER_THROW = ['createClient', 'isStreamFailure', 'observed', 'sameSecret', 'startCall']

const INVALID_OPTION = 'SetupError `OPTION_INVALID` for an invalid option'
const INVALID_SCHEMA = `${INVALID_OPTION}; \`SCHEMA_INVALID\` for an invalid schema`

/** Errors of functions in the core, whose comments have no line for them. */
const ERRORS = {
  bytes: INVALID_OPTION,
  events: INVALID_SCHEMA,
  form: INVALID_SCHEMA,
  json: INVALID_SCHEMA,
  redirect: 'RangeError for an invalid status',
  stream: INVALID_OPTION,
  text: INVALID_OPTION,
}

/** Adds errors to comments without them. */
export function addErrors(modules) {
  for (const { name, comment } of modules.flatMap(listDocumented)) {
    if (!(name in ERRORS) || comment.getTag('@throws')) continue
    comment.blockTags.push(new CommentTag('@throws', [{ kind: 'text', text: ERRORS[name] }]))
  }
}

/** Adds examples of docs/site/examples.md to comments without an example. Examples in comments increase the size of the package. */
export function addExamples(modules) {
  const page = readFileSync(join(ROOT, 'docs/site/examples.md'), 'utf8')
  const examples = new Map(
    page.split(/^## /m).map((part) => [part.split('\n', 1)[0], /^```ts\n[^]*?^```/m.exec(part)?.[0]]),
  )
  for (const { name, comment } of modules.flatMap(listDocumented)) {
    const code = examples.get(name)
    if (code === undefined || comment.getTag('@example')) continue
    comment.blockTags.push(new CommentTag('@example', [{ kind: 'code', text: code }]))
  }
}

/**
 * Lists missing parts of the reference.
 *
 * @param modules modules of typedoc
 * @param readGuide returns the text of an export's guide
 */
export function findGaps(modules, readGuide) {
  return modules.flatMap((module) =>
    listDocumented(module).flatMap(({ reflection, name, comment, signature }) => {
      const hasTag = (tag) => comment.getTag(tag) !== undefined
      const gaps = [
        ...(signature?.parameters ?? [])
          .filter((parameter) => !parameter.hasComment())
          .map((parameter) => `description of "${parameter.name}"`),
        ...(signature === undefined || hasTag('@returns') ? [] : ['@returns']),
        ...(signature === undefined || hasTag('@throws') || NEVER_THROW.includes(name) ? [] : ['@throws']),
        ...(hasTag('@example') ? [] : ['@example']),
        ...(readGuide(reflection).includes(signature === undefined ? '' : name) ? [] : ['guide that shows it']),
      ]
      return gaps.map((gap) => `${name} of ${module.name} has no ${gap}`)
    }),
  )
}

/** Lists the functions and classes that a module exports as values. Of overloads, only the first. */
function listDocumented(module) {
  const entry = module.name.replace(/^verbena\/?/, '') || 'index'
  const exports = readFileSync(join(ROOT, `src/${entry}.ts`), 'utf8').matchAll(/^export \{([^}]*)\}/gm)
  const values = new Set([...exports].flatMap(([, names]) => names.split(',').map((name) => name.trim())))
  return (module.children ?? []).flatMap((reflection) => {
    if (!values.has(reflection.name)) return []
    const { name, kind, comment, signatures: [signature] = [] } = reflection
    if (signature !== undefined) return [{ reflection, name, signature, comment: signature.comment }]
    return kind === ReflectionKind.Class || kind === ReflectionKind.Variable ? [{ reflection, name, comment }] : []
  })
}
