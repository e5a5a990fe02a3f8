/** A plugin for typedoc: pages of `docs` in the order of docs/README.md, links between them, and the guide of each export. */
import { join, posix, relative, sep } from 'node:path'
import {
  Application,
  Comment,
  CommentTag,
  Converter,
  DefaultTheme,
  IndexEvent,
  KindRouter,
  MarkdownEvent,
  PageEvent,
  ReflectionKind,
} from 'typedoc'
import { addErrors, addExamples, findGaps } from './site/completeness.mjs'
import { finishHtml } from './site/html.mjs'
import { GENERATED, findExample, writeExamples } from './site/examples.mjs'
import { guideFor } from './site/guides.mjs'
import { optionsTable } from './site/options-table.mjs'
import { listExamples, pageName, readSections, readTopics } from './site/sections.mjs'
import { ROOT } from './tools.mjs'

const REPOSITORY = 'https://github.com/verbena-framework/verbena'
const OPTIONS = 'docs/options.md'

/** Weights in search results: pages that teach come first, pages for maintainers last. */
const WEIGHTS = [
  {
    pages: /^examples\/|^docs\/(?:decisions|contributing)\/|^[A-Z]+\.md$|^docs\/(?:architecture|README)\.md$/,
    weight: 0.3,
  },
  { pages: /^docs\/(?:auditing|benchmarks|comparison|security-tests)\.md$/, weight: 0.6 },
  { pages: /./, weight: 2 },
]

/** Guides of exports. */
const guides = new WeakMap()

export function load(app) {
  // typedoc looks for documents later, so it finds these pages.
  writeExamples(listExamples())
  app.renderer.defineRouter('site', SiteRouter)
  app.renderer.defineTheme('site', SiteTheme)
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue('markdownItLoader', (parser) => parser.core.ruler.push('code in headings', exposeCode))
  })
  app.converter.on(Converter.EVENT_BEGIN, ({ programs }) => programs.forEach(declareOptionsOnce))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => describe(project))
  // Groups exist after all other steps. docs/README.md lists the pages.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => keepModules(project), -1e6)
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => reportGaps(project, app.logger), -1e6)
  app.renderer.on(IndexEvent.PREPARE_INDEX, addHeadings)
  app.renderer.on(MarkdownEvent.PARSE, (event) => linkPages(event, app.renderer.router), 10)
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = finishHtml(page.contents, page.url, app.renderer.theme.listLinks(page.project))
  })
}

/**
 * Keeps one declaration of each option in `AppOptions`. It depends on a conditional type, so TypeScript lists some of them for each branch,
 * and typedoc would warn of several comments.
 */
function declareOptionsOnce(program) {
  const file = program.getSourceFile(join(ROOT, 'src/app/app-types.ts'))
  const alias = file.statements.find((statement) => statement.name?.text === 'AppOptions')
  for (const option of program.getTypeChecker().getTypeAtLocation(alias).getProperties()) option.declarations.length = 1
}

class SiteRouter extends KindRouter {
  /** A page has the path of its file. */
  getIdealBaseName(reflection) {
    return reflection.isDocument() ? pageName(sourcePath(reflection)) : super.getIdealBaseName(reflection)
  }
}

class SiteTheme extends DefaultTheme {
  buildNavigation(project) {
    const modules = super.buildNavigation(project).flatMap(({ children }) => children ?? [])
    return this.listLinks(project).map(({ title, links }) => ({
      text: title,
      children: title === 'Reference' ? [...modules, ...links] : links,
    }))
  }

  /** Returns the sections of the site, with the title and path of each page. */
  listLinks(project) {
    const pages = mapPages(project)
    return readSections().map((section) => ({
      title: section.title,
      links: section.pages.map((path) => {
        const page = pages.get(path)
        return { text: page.name, path: this.router.getFullUrl(page) }
      }),
    }))
  }
}

function describe(project) {
  const pages = mapPages(project)
  for (const [path, page] of pages) {
    page.name = /^# (.+)$/m.exec(joinText(page.content))[1].replaceAll('`', '')
    page.relevanceBoost = WEIGHTS.find((each) => each.pages.test(path)).weight
    linkRepository(page.content, project)
  }
  linkRepository(project.readme ?? [], project)
  const modules = project.getReflectionsByKind(ReflectionKind.Module)
  addErrors(modules)
  addExamples(modules)
  for (const module of modules) {
    describeModule(module)
    for (const child of module.children ?? []) {
      if (child.name === 'AppOptions') {
        const table = optionsTable(pages.get(OPTIONS).content, (path) => linkTo(pages.get(path)))
        child.comment.summary.push({ kind: 'text', text: '\n' }, ...table)
      }
      addGuide(child, pages)
    }
  }
}

function reportGaps(project, logger) {
  const readGuide = (reflection) => joinText(guides.get(reflection)?.content ?? [])
  for (const gap of findGaps(project.getReflectionsByKind(ReflectionKind.Module), readGuide)) logger.warn(gap)
}

/** Removes the import from the beginning of the comment, because it is the name of the module. */
function describeModule({ comment }) {
  const text = joinText(comment.summary).replace(/^`[^`]+`: /, '')
  comment.summary = [{ kind: 'text', text: text[0].toUpperCase() + text.slice(1) }]
}

function keepModules(project) {
  project.groups = project.groups?.filter(({ title }) => title === 'Modules')
}

/**
 * Headings, topics, and code in the first column of tables, such as names of options, count more in the search than paragraphs. Properties
 * and methods count less than the page that contains them.
 */
function addHeadings(event) {
  const topics = readTopics()
  event.searchFieldWeights['headings'] = 8
  for (const [index, result] of event.searchResults.entries()) {
    if (result.kindOf(ReflectionKind.SomeMember)) result.relevanceBoost = 0.1
    const text = joinText(result.isDocument() ? result.content : (result.comment?.summary ?? []))
    const headings = [...text.matchAll(/^(?:#+ (.+)|\| (`.+?) \|.*)$/gm)].map(([, heading, cell]) => heading ?? cell)
    if (result.isDocument()) headings.push(topics.get(sourcePath(result)) ?? '')
    event.searchFields[index] = { headings: headings.join('\n') }
  }
}

function mapPages(project) {
  return new Map((project.documents ?? []).map((document) => [sourcePath(document), document]))
}

function sourcePath(document) {
  const path = relativePath(document.project.files.getReflectionPath(document))
  return path.startsWith(GENERATED) ? path.slice(GENERATED.length) : path
}

function relativePath(path) {
  return relative(ROOT, path).split(sep).join('/')
}

function joinText(parts) {
  return parts.map(({ text }) => text).join('')
}

/** Links to files that are neither pages nor pictures lead to the repository. */
function linkRepository(parts, project) {
  for (const part of parts) {
    if (part.kind !== 'relative-link' || part.target === undefined) continue
    const path = project.files.resolve(part.target, project)
    if (typeof path !== 'string' || path.endsWith('.png')) continue
    part.text = `${REPOSITORY}/blob/main/${relativePath(path)}`
    delete part.target
  }
}

/** Adds the guide to the comment of an export, as `@see`. */
function addGuide(reflection, pages) {
  const group = reflection.comment?.getTag('@group')?.content[0].text
  const page = pages.get(guideFor(reflection.name, group))
  if (page === undefined) return
  guides.set(reflection, page)
  const content = linkTo(page)
  for (const each of reflection.signatures ?? [reflection]) {
    each.comment ??= new Comment()
    each.comment.blockTags.push(new CommentTag('@see', content))
  }
}

/** Splits code in headings into tags and text, because anchors consist of the text tokens. */
function exposeCode({ tokens, Token }) {
  for (const [index, { type }] of tokens.entries()) {
    if (type !== 'heading_open') continue
    const heading = tokens[index + 1]
    heading.children = heading.children.flatMap((token) => {
      if (token.type !== 'code_inline') return [token]
      const parts = [new Token('html_inline', '', 0), new Token('text', '', 0), new Token('html_inline', '', 0)]
      for (const [at, content] of ['<code>', token.content, '</code>'].entries()) parts[at].content = content
      return parts
    })
  }
}

/** Returns a link to a page, as typedoc parses it. */
function linkTo(page) {
  const { files } = page.project
  const { target } = files.registerAbsolute(files.getReflectionPath(page))
  const url = { kind: 'relative-link', text: page.name, target }
  return [{ kind: 'text', text: `[${page.name}](` }, url, { kind: 'text', text: ')' }]
}

/** Links to a page or to the file of an example in the repository lead to the page of the site. */
function linkPages(event, router) {
  const pages = mapPages(event.page.project)
  const examples = listExamples()
  event.parsedText = event.parsedText.replace(
    /\]\((https:[^)#\s]+)\/(?:blob|tree)\/main\/([^)#\s]+)/g,
    (link, repository, path) => {
      const example = findExample(path, examples)
      const page = repository === REPOSITORY ? pages.get(example?.readme ?? path) : undefined
      if (page === undefined) return link
      const url = posix.relative(posix.dirname(event.page.url), router.getFullUrl(page))
      return `](${url}${example === undefined ? '' : `#${example.anchor}`}`
    },
  )
}
