/** Changes to the HTML of a page after typedoc has written it. */
import { posix } from 'node:path'

/** Start of the values of `navigationLinks` that are paths of the site. */
const SITE = 'href="site:'

/**
 * Completes a page: links of the toolbar, tables that scroll, collapsed inferred types, and links to the previous and the next page. Removes
 * `Readonly`, because it is at every property.
 */
export function finishHtml(html, url, sections) {
  const base = '../'.repeat(url.split('/').length - 1)
  return html
    .replaceAll(SITE, `href="${base}`)
    .replaceAll(
      /<table>(?=\s*<thead>\s*<tr>\s*<th>(option)?)/g,
      (_, option) => `<div class="wide${option ? ' options' : ''}" tabindex="0"><table>`,
    )
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<code class="tsd-tag">Readonly</code>', '')
    .replace(url === 'modules.html' ? '<h1>Verbena</h1>' : SITE, '<h1>Reference</h1>')
    .replace(/(<details [^>]*) open>(?=<summary [^>]*data-key="section-Inferred types")/, '$1>')
    .replace(/<ul class="tsd-breadcrumb"[^]*?<\/ul>/, (crumbs) => sectionTitle(url, sections) ?? crumbs)
    .replace(/(?=<\/div>\s*<div class="col-sidebar">)/, () => neighborLinks(url, sections))
}

/** Returns the section of a page, which is shown above its title. */
function sectionTitle(url, sections) {
  const section = sections.find(({ links }) => links.some(({ path }) => path === url))
  return section && `<p class="tsd-breadcrumb">${section.title}</p>`
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
