/** What is kept of the one who looks: theme and keys. Storage may be closed; then it lasts as long as the page. */

export type Theme = 'light' | 'dark' | 'system'

const THEME = 'dev-console theme'
const KEYS = 'dev-console keys'

/** In the order in which the button goes through them. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** The theme chosen. */
export function theme(): Theme {
  const storedTheme = readPreference(THEME)
  return THEMES.find((name) => name === storedTheme) ?? 'system'
}

/** Chooses a theme. */
export function setTheme(name: Theme): void {
  writePreference(THEME, name)
  showTheme()
}

/** Shows the theme chosen. */
export function showTheme(): void {
  const name = theme()
  if (name === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = name
}

/** Whether keys without a modifier do something. */
export function keysAreOn(): boolean {
  return readPreference(KEYS) !== 'off'
}

/** Switches the keys without a modifier. */
export function setKeys(isOn: boolean): void {
  writePreference(KEYS, isOn ? 'on' : 'off')
}

const fallback = new Map<string, string>()

function readPreference(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return fallback.get(key) ?? null
  }
}

function writePreference(key: string, value: string): void {
  fallback.set(key, value)
  try {
    localStorage.setItem(key, value)
  } catch {
    // It lasts as long as the page.
  }
}
