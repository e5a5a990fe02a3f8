/** Titles of statuses (RFC 9110 section 15 and the IANA registry): the page is told them, so that it need not hold them. */
import { ERROR_TITLES } from '../errors/status.js'

/** Titles by status. */
export const TITLES: Readonly<Record<string, string>> = Object.fromEntries([
  [100, 'Continue'],
  [101, 'Switching Protocols'],
  [200, 'OK'],
  [201, 'Created'],
  [202, 'Accepted'],
  [203, 'Non-Authoritative Information'],
  [204, 'No Content'],
  [205, 'Reset Content'],
  [206, 'Partial Content'],
  [300, 'Multiple Choices'],
  [301, 'Moved Permanently'],
  [302, 'Found'],
  [303, 'See Other'],
  [304, 'Not Modified'],
  [307, 'Temporary Redirect'],
  [308, 'Permanent Redirect'],
  ...ERROR_TITLES,
])
