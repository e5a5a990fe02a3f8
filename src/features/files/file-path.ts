/** Checks file names in request paths. The rules are the same on every system, and exclude names that any file system treats specially. */

/** Windows devices, which exist in every directory and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)(?:[.:\s]|$)/i
/** Separators, drives and streams (`c:`, `a.txt::$DATA`), wildcards, and control characters. */
const FORBIDDEN = /[\\/:*?"<>|\p{Cc}\p{Cs}]/u
/** Aliases on Windows, which ignores trailing dots and spaces and creates short names such as `SECRET~1.TXT`. */
const ALIAS = /[. ]$|~[0-9]+(?:\.[^.]*)?$/

/** Splits a path below a root into names; `null` if a name is not allowed. An empty path is the root itself. */
export function splitFilePath(path: string, hasDotfiles: boolean): readonly string[] | null {
  const parts = path === '' ? [] : path.split('/')
  return parts.every((part) => isName(part) && (hasDotfiles || !part.startsWith('.'))) ? parts : null
}

function isName(part: string): boolean {
  return (
    part !== '' && part !== '.' && part !== '..' && !FORBIDDEN.test(part) && !ALIAS.test(part) && !DEVICE.test(part)
  )
}
