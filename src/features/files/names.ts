/** Names of files that clients may ask for: the same on every system, and none that a file system reads in its own way. */

/** Devices of Windows in every folder, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:[.:\s]|$)/i
/** Separators, drives and streams (`c:`, `a.txt::$DATA`), wildcards, and control characters. */
const FORBIDDEN = /[\\/:*?"<>|\p{Cc}\p{Cs}]/u
/** Windows drops these from the end of a name, and gives long names short ones, such as `SECRET~1.TXT`. */
const ALIAS = /[. ]$|~[0-9]+(?:\.[^.]*)?$/

/** The parts of a path below a root; `null` for one that nobody may ask for. An empty path is the root itself. */
export function splitFilePath(path: string, hasDotfiles: boolean): readonly string[] | null {
  const parts = path === '' ? [] : path.split('/')
  return parts.every((part) => isName(part) && (hasDotfiles || !part.startsWith('.'))) ? parts : null
}

function isName(part: string): boolean {
  return (
    part !== '' && part !== '.' && part !== '..' && !FORBIDDEN.test(part) && !ALIAS.test(part) && !DEVICE.test(part)
  )
}
