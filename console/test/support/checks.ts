/** Checks of layout and accessibility that every page of the console must pass, in all sizes and themes. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Widths of the window: desktop, half a desktop, tablet, phone, and the minimum of WCAG 1.4.10. */
export const WIDTHS = [1440, 1024, 768, 420, 320] as const

/** Color schemes that a system can prefer. */
export const THEMES = ['light', 'dark'] as const

const HEIGHT = 900
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Script that waits for two animation frames. */
const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))`

/** Script that finds elements that overflow the window, or that an ancestor clips without scrolling. */
const STICKING_OUT = `(() => {
  const nameOf = (element) => element.tagName.toLowerCase() + (element.id && '#' + element.id) +
    Array.from(element.classList, (name) => '.' + name).join('')
  const found = []
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth > clientWidth) found.push('the document: ' + scrollWidth + ' of ' + clientWidth)
  for (const element of document.body.querySelectorAll('*')) {
    const box = element.getBoundingClientRect()
    if (box.width <= 1 || box.height <= 1 || !element.checkVisibility({ visibilityProperty: true }) || element.closest('svg, .vh, .skip')) continue
    const holder = holderOf(element)
    const [left, right] = holder === null ? [0, clientWidth] : edgesOf(holder)
    if (box.left < left - 1 || box.right > right + 1) {
      found.push(nameOf(element) + ' in ' + (holder === null ? 'the window' : nameOf(holder)) + ': ' +
        [box.left, box.right].map(Math.round) + ' of ' + [left, right].map(Math.round))
    }
  }
  return found.slice(0, 10)

  /** The ancestor that clips an element. Scrolling ancestors, and those that show an ellipsis, do not count. */
  function holderOf(element) {
    if (getComputedStyle(element).position === 'fixed') return null
    for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(at)
      if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return document.createElement('br')
      if (overflowX === 'hidden' || overflowX === 'clip') return at
    }
    return null
  }

  function edgesOf(holder) {
    const { left, right } = holder.getBoundingClientRect()
    return holder.isConnected ? [left, right] : [-Infinity, Infinity]
  }
})()`

/**
 * Script that finds lines of text drawn over each other. It compares lines of the same layer only, because a dialog, a menu or a sticky
 * head is drawn over others on purpose.
 */
const OVERLAPPING = `(() => {
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null && texts.length < 1500; node = walker.nextNode()) {
    const element = node.parentElement
    if (node.data.trim() === '' || element.closest('.vh, .skip, script, style') !== null) continue
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const layer = layerOf(element)
    for (const rect of range.getClientRects()) {
      const box = clip(rect, element)
      if (box.right - box.left > 2 && box.bottom - box.top > 2) texts.push({ node, layer, text: node.data.trim(), ...box })
    }
  }
  const found = []
  for (const [index, a] of texts.entries()) {
    for (const b of texts.slice(index + 1)) {
      if (a.node === b.node || a.layer !== b.layer) continue
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      // Boxes of lines that follow each other can overlap a little without their letters.
      if (width > 2 && height > 5) found.push('"' + a.text.slice(0, 40) + '" and "' + b.text.slice(0, 40) + '": ' + [width, height].map(Math.round))
    }
  }
  return found.slice(0, 10)

  function clip(rect, element) {
    let { left, right, top, bottom } = rect
    for (let at = element; at !== null && at !== document.documentElement; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at)
      if (overflowX === 'visible' && overflowY === 'visible') continue
      const box = at.getBoundingClientRect()
      left = Math.max(left, box.left)
      right = Math.min(right, box.right)
      top = Math.max(top, box.top)
      bottom = Math.min(bottom, box.bottom)
    }
    return { left: Math.max(left, 0), right: Math.min(right, innerWidth), top: Math.max(top, 0), bottom: Math.min(bottom, innerHeight) }
  }

  function layerOf(element) {
    for (let at = element; at !== null; at = at.parentElement) {
      if (at.matches('dialog, [popover]') || getComputedStyle(at).zIndex !== 'auto') return at
    }
    return null
  }
})()`

/**
 * Waits until a page has been laid out and drawn.
 */
export async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate(SETTLED)
}

/**
 * Finds elements that overflow the window or are clipped.
 *
 * @returns a description of each element; empty if there are no findings
 */
export function stickingOut(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(STICKING_OUT)
}

/**
 * Finds lines of text that are drawn over each other.
 *
 * @returns a description of each pair; empty if there are no findings
 */
export function overlapping(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(OVERLAPPING)
}

/**
 * Finds the violations of WCAG 2.2 A and AA that axe can detect.
 *
 * @param rules ids of the rules to check; default: all
 * @returns a description of each violation; empty if there are no findings
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate<boolean>('"axe" in globalThis')
  if (!isThere) await page.evaluate(AXE_SOURCE)
  const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules }
  const options = { runOnly, resultTypes: ['violations'], preload: false }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.slice(0, 5).map(({ target, failureSummary }) =>
      id + ' at ' + target.join(' ') + ': ' + failureSummary.replaceAll(/\\s+/g, ' '))))`)
}

/**
 * Checks a page in all widths and themes.
 *
 * @returns the findings, each with its width and theme
 */
export async function faultsOfLayout(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await untilDrawn(page)
      // Only color rules can differ between themes.
      const isFirst = colorScheme === THEMES[0]
      const faults = await violations(page, isFirst ? undefined : ['color-contrast', 'link-in-text-block'])
      if (isFirst) faults.push(...(await stickingOut(page)), ...(await overlapping(page)))
      found.push(...faults.map((fault) => `${width} ${colorScheme}: ${fault}`))
    }
  }
  return found
}
