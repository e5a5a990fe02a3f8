/** Documents and their pages. */
import { referencePage } from '#src/reference/page.js'
import type { PageOptions } from '#src/reference/page-options.js'
import { markup, type Content } from '#src/reference/html.js'
import { readModel, type Model } from '#src/reference/model.js'

/** Returns a document with one operation. */
export function createDocument(operation: object, others: object = {}): Record<string, unknown> {
  return {
    openapi: '3.1.1',
    info: { title: 'Shop', version: '1.0.0' },
    paths: { '/things': { get: operation } },
    ...others,
  }
}

export function renderPage(document: Record<string, unknown>, options: PageOptions = {}): string {
  return [...referencePage(document, options)].join('')
}

/** Returns the model of a document with these schemas. */
export function createModel(schemas: object, others: object = {}): Model {
  return readModel({ openapi: '3.1.1', components: { schemas, ...others } })
}

export function renderText(content: Content): string {
  return markup`${content}`.text
}

/** Returns the text of HTML, without tags. */
export function plainText(content: Content): string {
  return renderText(content)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
