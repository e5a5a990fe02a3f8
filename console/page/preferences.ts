/** Preferences of the user: theme and keys. If the browser refuses storage, they last as long as the page. */

export type Theme = 'light' | 'dark' | 'system'

const THEME = 'dev-console theme'
const KEYS = 'dev-console keys'

/** Themes in the order of the theme button. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export function theme(): Theme {
  const storedTheme = readPreference(THEME)
  return THEMES.find((name) => name === storedTheme) ?? 'system'
}

export function setTheme(name: Theme): void {
  writePreference(THEME, name)
  showTheme()
}

export function showTheme(): void {
  const name = theme()
  if (name === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = name
}

/** Whether keys without a modifier are enabled. */
export function areKeysEnabled(): boolean {
  return readPreference(KEYS) !== 'off'
}

/** Enables or disables the keys without a modifier. */
export function enableKeys(isOn: boolean): void {
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
    // The preference lasts as long as the page.
  }
}
