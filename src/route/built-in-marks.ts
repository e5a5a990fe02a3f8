/** Marks the endpoints of `files` and `health`, for `app.check()`. */
import { MetaKey } from './decorator.js'

/** Which of the two endpoints of `files`: the folder itself, or what is below it. A finding about both names only the second one. */
export const SERVES_FILES: MetaKey<'folder' | 'files' | 'public files'> = new MetaKey('files')

export const REPORTS_HEALTH: MetaKey<true> = new MetaKey('health')
