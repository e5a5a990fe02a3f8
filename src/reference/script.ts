/** Script of the page: search, copy buttons, theme, and marks in the contents. The page can be read without it. */
export const SCRIPT: string = String.raw`
(() => {
  'use strict'
  const root = document.documentElement
  const THEMES = ['system', 'light', 'dark']
  const MAX_RESULTS = 30
  const isServed = 'served' in root.dataset
  let theme = 'system'
  try { theme = localStorage.getItem('api-page-theme') ?? theme } catch {}
  const showTheme = () => {
    if (theme === 'system') root.removeAttribute('data-theme')
    else root.dataset.theme = theme
  }
  showTheme()

  const element = (name, attributes, ...children) => {
    const made = Object.assign(document.createElement(name), attributes)
    made.append(...children)
    return made
  }

  const openTarget = () => {
    let target = null
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))) } catch {}
    if (target === null) return
    for (let at = target; at !== null; at = at.parentElement) if (at.matches('details')) at.open = true
    target.scrollIntoView({ behavior: 'instant' })
  }

  /** Adds the address of the API and copy buttons to a section when it opens, because a page can have thousands. */
  const prepare = (section) => {
    for (const text of section.querySelectorAll('pre')) {
      const caption = text.previousElementSibling
      if (caption.childElementCount > 0) continue
      if (isServed) text.textContent = text.textContent.replace('"$API', '"' + location.origin)
      text.tabIndex = 0
      const button = element('button', { type: 'button', className: 'btn' }, 'Copy')
      button.setAttribute('aria-label', 'Copy ' + caption.textContent)
      button.addEventListener('click', async () => {
        try {
          await navigator.clipboard.writeText(text.textContent)
          button.textContent = 'Copied'
        } catch {
          getSelection().selectAllChildren(text)
          button.textContent = 'Selected'
        }
        setTimeout(() => { button.textContent = 'Copy' }, 1500)
      })
      caption.append(button)
    }
  }

  const showAddress = () => {
    for (const address of document.querySelectorAll('.url')) {
      address.textContent = address.textContent.replace('$API', location.origin)
      if (address.textContent === location.origin) address.nextElementSibling?.remove()
    }
  }

  let index = null
  const entries = () => index ??= [...document.querySelectorAll('main > section > details')].map((section) => {
    const [summary, content] = section.children
    const names = [...content.querySelectorAll('.f > li > b')].map((name) => name.textContent)
    return { id: content.id, summary, title: summary.textContent.toLowerCase(), fields: [...new Set(names)] }
  })
  const search = (words) => {
    const found = []
    for (const { id, summary, title, fields } of entries()) {
      const isTitle = words.every((word) => title.includes(word) || id.toLowerCase().includes(word))
      const field = isTitle ? '' : fields.find((name) => words.every((word) => name.toLowerCase().includes(word)))
      if (field !== undefined) found.push({ id, summary, field })
    }
    return found.sort((a, b) => Number(a.field !== '') - Number(b.field !== '')).slice(0, MAX_RESULTS)
  }

  const setUpSearch = () => {
    const input = document.querySelector('.find input')
    const list = document.getElementById('found')
    let at = 0
    const select = (next) => {
      const options = [...list.querySelectorAll('[role=option]')]
      at = (next + options.length) % Math.max(1, options.length)
      options.forEach((option, number) => option.setAttribute('aria-selected', String(number === at)))
      options[at]?.scrollIntoView({ block: 'nearest', behavior: 'instant' })
      if (options.length > 0) input.setAttribute('aria-activedescendant', options[at].id)
      else input.removeAttribute('aria-activedescendant')
    }
    const close = () => {
      list.hidden = true
      input.setAttribute('aria-expanded', 'false')
      input.removeAttribute('aria-activedescendant')
    }
    const go = (id) => {
      close()
      input.value = ''
      if (location.hash.slice(1) === id) openTarget()
      else location.hash = id
      document.getElementById(id).previousElementSibling.focus({ preventScroll: true })
    }
    const show = () => {
      const words = input.value.trim().toLowerCase().split(/\s+/)
      if (words[0] === '') return close()
      const rows = search(words).map(({ id, summary, field }, number) => {
        const parts = [...summary.children].slice(0, 3).map((part) => part.cloneNode(true))
        const row = element('li', { id: 'found-' + number, role: 'option' }, ...parts)
        if (field !== '') row.append(element('small', {}, 'field ' + field))
        row.addEventListener('pointerdown', (event) => event.preventDefault())
        row.addEventListener('click', () => go(id))
        row.dataset.target = id
        return row
      })
      list.replaceChildren(...(rows.length > 0 ? rows : [element('li', { className: 'none', role: 'presentation' }, 'No operation or field has this name.')]))
      list.hidden = false
      input.setAttribute('aria-expanded', 'true')
      select(0)
    }
    input.addEventListener('input', show)
    input.addEventListener('focus', show)
    input.addEventListener('blur', close)
    input.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown') select(at + 1)
      else if (event.key === 'ArrowUp') select(at - 1)
      else if (event.key === 'Enter') list.querySelector('[aria-selected=true]')?.click()
      else if (event.key === 'Escape') { input.value = ''; close(); input.blur() }
      else return
      event.preventDefault()
    })
    addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, [contenteditable]')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.focus()
    })
  }

  const setUpTheme = () => {
    const button = document.getElementById('theme')
    const name = () => {
      button.setAttribute('aria-label', 'Theme: ' + theme)
      button.firstElementChild.textContent = theme
      button.dataset.name = theme
    }
    name()
    button.addEventListener('click', () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]
      try { localStorage.setItem('api-page-theme', theme) } catch {}
      showTheme()
      name()
    })
  }

  /** Marks the last entry of the contents whose section begins above the middle of the window. */
  const followReader = () => {
    const links = [...document.querySelectorAll('.toc a')].map((link) => {
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)))
      return { link, section: target.matches('details > div') ? target.parentElement : target }
    })
    let current = null
    let isPlanned = false
    const mark = () => {
      isPlanned = false
      const isEnd = innerHeight + scrollY >= root.scrollHeight - 2
      const passed = links.filter(({ section }) => section.getBoundingClientRect().top <= (isEnd ? innerHeight : 160))
      const next = passed.at(-1)?.link ?? null
      if (next === current) return
      current?.removeAttribute('aria-current')
      next?.setAttribute('aria-current', 'true')
      current = next
      const column = document.querySelector('.toc')
      if (next === null) return
      const [box, own] = [column.getBoundingClientRect(), next.getBoundingClientRect()]
      if (own.top < box.top || own.bottom > box.bottom) column.scrollTop += own.top - box.top - box.height / 2
      if (own.left < box.left || own.right > box.right) column.scrollLeft += own.left - box.left - 12
    }
    const plan = () => {
      if (!isPlanned) requestAnimationFrame(mark)
      isPlanned = true
    }
    addEventListener('scroll', plan, { passive: true })
    addEventListener('resize', plan)
    mark()
  }

  document.addEventListener('toggle', ({ target }) => { if (target.matches('.tag > details[open]')) prepare(target) }, true)
  addEventListener('hashchange', openTarget)
  addEventListener('beforeprint', () => {
    const sections = document.querySelectorAll('main details')
    if (sections.length < 500) for (const section of sections) section.open = true
  })
  document.addEventListener('DOMContentLoaded', () => {
    document.querySelector('.tools').hidden = false
    if (isServed) showAddress()
    document.querySelector('.versions [aria-current]')?.scrollIntoView({ behavior: 'instant' })
    setUpSearch()
    setUpTheme()
    followReader()
    openTarget()
  })
})()
`
