/** Changes to the HTML of a page after typedoc has written it. */
import { posix } from 'node:path'

/** Start of the values of `navigationLinks` that are paths of the site. */
const SITE = 'href="site:'

/**
 * Completes a page: links of the toolbar, tables that scroll by themselves, collapsed inferred types, and links to the previous and the
 * next page.
 */
export function finishHtml(html, url, sections) {
  const base = '../'.repeat(url.split('/').length - 1)
  return html
    .replaceAll(SITE, `href="${base}`)
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(/(<details [^>]*) open>(?=<summary [^>]*data-key="section-Inferred types")/, '$1>')
    .replace('</div><div class="col-sidebar">', `${neighborLinks(url, sections)}</div><div class="col-sidebar">`)
}

function neighborLinks(url, sections) {
  const links = sections.flatMap((section) => section.links)
  const index = links.findIndex(({ path }) => path === url)
  if (index === -1) return ''
  const link = (neighbor, name) => {
    if (neighbor === undefined) return ''
    return `<a class="${name.toLowerCase()}" href="${posix.relative(posix.dirname(url), neighbor.path)}"><small>${name}</small>${neighbor.text}</a>`
  }
  return `<nav class="neighbors" aria-label="Pages">${link(links[index - 1], 'Previous')}${link(links[index + 1], 'Next')}</nav>`
}
