/** Marks the endpoints of `files` and `health`, for `app.check()`. */
import { MetaKey } from './decorator.js'

/** Marks the endpoints of `files`: `folder` for the directory, which `app.check()` skips, and the other values for the paths below it. */
export const SERVES_FILES: MetaKey<'folder' | 'files' | 'public files'> = new MetaKey('files')

export const REPORTS_HEALTH: MetaKey<true> = new MetaKey('health')
