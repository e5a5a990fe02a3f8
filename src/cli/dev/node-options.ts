/** Reads options of Node. A value follows after `=`, or is the next word. */

const PRELOAD = /^(?:--import|--require|-r|--(?:experimental-)?loader)$/
const OF_TSX = /(?:^|[\\/])tsx(?:$|[\\/])/

/** Returns the values of all options whose name matches. */
export function readValues(options: readonly string[], name: RegExp): string[] {
  return options.flatMap((option, at) => {
    const [word = '', ...value] = option.split('=')
    if (!name.test(word)) return []
    return [value.length === 0 ? String(options[at + 1]) : value.join('=')]
  })
}

/** Returns the first module that runs before the app, except for tsx. It may read files that a save changes. */
export function findPreload(options: readonly string[], variable = ''): string | undefined {
  return readValues([...options, ...variable.split(/\s+/)], PRELOAD).find((value) => !OF_TSX.test(value))
}
