/** Comment of a body in a HAR file that was not stored whole. */
export const CUT_COMMENT = 'Only the beginning was kept'
