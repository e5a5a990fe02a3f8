/** Start of the hash in the URL of a request, before its id. */
export const RECORD_ADDRESS = '#/requests/'
