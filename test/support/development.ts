/** Sets `NODE_ENV` to `development`. Import it first, so that apps start in development mode. */
process.env['NODE_ENV'] = 'development'
