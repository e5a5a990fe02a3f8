/** Imported first: apps of this process are made as in development. */
process.env['NODE_ENV'] = 'development'
