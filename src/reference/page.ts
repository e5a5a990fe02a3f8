/** The page of an OpenAPI document, as a stream of HTML. */
import { changesView } from './changes-view.js'
import { listEntries, listOrEmpty, objectOrEmpty, stringOrEmpty, type JsonRecord } from '../openapi/reading/json.js'
import { readSchema } from '../openapi/reading/format-type.js'
import { markup, Html, type Content } from './html.js'
import { readModel, type Model, type NamedSchema } from './model.js'
import { methodMark, operationView, formatTitle } from './operation-view.js'
import type { PageOptions } from './page-options.js'
import { fieldsView, typeView } from './schema-view.js'
import { FILE_POLICY } from './policy.js'
import { SCRIPT } from './script.js'
import { authenticationView } from './security-view.js'
import { ADDRESS, serverAddress } from './commands.js'
import { STYLE } from './style.js'
import { countText, paragraphs } from './text.js'

/** Maximum length of a page; operations and schemas after it are left out. */
const MAX_LENGTH = 32_000_000
const MAX_SERVERS = 20

/** Style and script of this project, which are not escaped. The browser runs them because their hashes are in the policy. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`)
const SCRIPT_ELEMENT = new Html(`<script>${SCRIPT}</script>`)

const POLICY_ELEMENT = markup`<meta http-equiv="content-security-policy" content="${FILE_POLICY}">`

/** Creates the page of a document of OpenAPI 3.0 to 3.2. The document can be hostile: its text stays text. */
export function* referencePage(document: JsonRecord, options: PageOptions = {}): Generator<string> {
  const model = readModel(document)
  yield headView(model, options).text
  yield navigationView(model, options).text
  yield markup`<main id="main" tabindex="-1">${introductionView(model, options)}${authenticationView(model)}${options.previous !== undefined && changesView(model, options.previous)}`
    .text
  let length = 0
  for (const { text } of parts(model, options)) {
    length += text.length
    if (length > MAX_LENGTH) {
      yield markup`<p class="note">The document is too long for one page. Read the rest in the document itself.</p>`
        .text
      break
    }
    yield text
  }
  yield '</main></div></body></html>\n'
}

function* parts(model: Model, options: PageOptions): Generator<Html> {
  for (const { id, name, description, operations } of model.groups) {
    yield markup`<section id="${id}" class="tag"><h2>${name}</h2>${paragraphs(description)}`
    for (const operation of operations) yield operationView(model, operation, options)
    yield SECTION_END
  }
  if (model.schemas.size === 0) return
  yield markup`<section id="schemas"><h2>Schemas</h2>`
  for (const named of model.schemas.values()) yield schemaView(model, named)
  yield SECTION_END
}

const SECTION_END = markup`</section>`

function schemaView(model: Model, { id, name, schema }: NamedSchema): Html {
  const { description } = readSchema(model.document, schema)
  return markup`<details class="sc"><summary><code>${name}</code></summary><div id="${id}">${paragraphs(stringOrEmpty(description))}<p>${typeView(model, schema)}</p>${fieldsView(model, schema, false)}</div></details>`
}

function headView({ document }: Model, { versions = [], isServed }: PageOptions): Html {
  const { title, version } = objectOrEmpty(document['info'])
  const name = stringOrEmpty(title) || 'API'
  return markup`<!doctype html>
<html lang="en"${isServed === true && new Html(' data-served')}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title><link rel="icon" href="data:,">${isServed !== true && POLICY_ELEMENT}${STYLE_ELEMENT}${SCRIPT_ELEMENT}</head>
<body id="top"><a class="skip" href="#main">Skip to content</a><header class="bar"><a class="home" href="#top"><b>${name}</b> <span>${stringOrEmpty(version)}</span></a>${versions.length > 1 && versionsView(versions)}${TOOLS}</header><div class="page">`
}

const TOOLS = markup`<div class="tools" hidden><div class="find"><input type="search" placeholder="Search operations and fields" aria-label="Search operations and fields" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd>/</kbd><ul id="found" role="listbox" aria-label="Results" hidden></ul></div><button class="btn" id="theme" type="button"><span></span></button></div>`

function versionsView(versions: NonNullable<PageOptions['versions']>): Html {
  const links = versions.map(({ name, url, isCurrent }) =>
    isCurrent ? markup`<a href="${url}" aria-current="page">${name}</a>` : markup`<a href="${url}">${name}</a>`,
  )
  return markup`<nav class="versions" aria-label="Versions">${links}</nav>`
}

function navigationView({ groups, schemas, schemes, isLarge }: Model, { previous }: PageOptions): Html {
  const lists = groups.map(({ id, name, operations }) => {
    const own = operations.map(
      (operation) =>
        markup`<li><a href="#${operation.id}">${methodMark(operation.method)}<span>${formatTitle(operation) || operation.path}</span></a></li>`,
    )
    const count = isLarge && markup` <small>${operations.length}</small>`
    return markup`<li><a class="g" href="#${id}">${name}${count}</a>${!isLarge && markup`<ul>${own}</ul>`}</li>`
  })
  return markup`<nav class="toc" aria-label="Contents"><ul><li><a class="g" href="#top">Introduction</a></li>${schemes.length > 0 && markup`<li><a class="g" href="#authentication">Authentication</a></li>`}${previous !== undefined && markup`<li><a class="g" href="#changes">Changes since ${previous.name}</a></li>`}${lists}${schemas.size > 0 && markup`<li><a class="g" href="#schemas">Schemas</a></li>`}</ul></nav>`
}

function introductionView(model: Model, { documentUrl }: PageOptions): Html {
  const { document, groups } = model
  const info = objectOrEmpty(document['info'])
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  const facts: Content = [
    fact('Operations', `${count} in ${countText(groups.length, 'group')}`),
    fact('Servers', serversView(model)),
    fact('Contact', joinTexts(info['contact'], ['name', 'email', 'url'])),
    fact('License', joinTexts(info['license'], ['name', 'url'])),
    fact('Terms', stringOrEmpty(info['termsOfService'])),
    documentUrl !== undefined && fact('Document', markup`<a href="${documentUrl}"><code>${documentUrl}</code></a>`),
  ]
  return markup`<section class="intro"><h1>${stringOrEmpty(info['title']) || 'API'} <small>${stringOrEmpty(info['version'])}</small></h1>${paragraphs(stringOrEmpty(info['description']))}<dl>${facts}</dl></section>`
}

function fact(name: string, value: Content): Content {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
  return !isEmpty && markup`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

function serversView(model: Model): Content {
  const servers = listOrEmpty(model.document['servers']).slice(0, MAX_SERVERS)
  const rows = servers.slice(1).map((server) => serverView(server, stringOrEmpty(objectOrEmpty(server)['url'])))
  return [serverView(servers[0], serverAddress(model)), ...rows]
}

function serverView(server: unknown, address: string): Html {
  const description = stringOrEmpty(objectOrEmpty(server)['description'])
  const note = address === ADDRESS && markup`<span> is the address of the API.</span>`
  return markup`<div><code class="url">${address}</code> ${description}${note}</div>`
}

function joinTexts(value: unknown, keys: readonly string[]): string {
  const fields = new Map(listEntries(value))
  return keys.flatMap((key) => stringOrEmpty(fields.get(key)) || []).join(', ')
}
