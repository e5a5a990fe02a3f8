/** Routers for tests. */
import { match, readParams } from '#src/router/match.js'
import { createRouter, insertLeaf, type Router } from '#src/router/router.js'
import { parseTemplate } from '#src/router/template.js'

/** Returns a router of these templates, with the text of each template as its value. */
export function routerOf(templates: readonly string[]): Router<string> {
  const router = createRouter<string>()
  for (const text of templates) insertLeaf(router, { template: parseTemplate(text, text), owner: text, value: text })
  return router
}

/** Returns the matching template and a copy of the parameters. */
export function lookUp(router: Router<string>, path: string): { value: string; params: object } | undefined {
  const leaf = match(router, path)
  return leaf && { value: leaf.value, params: { ...readParams(router, leaf, path) } }
}
