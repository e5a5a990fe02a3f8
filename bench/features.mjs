/** What an app of ours can have, to be measured beside one without: a name for the table, and how `start` of its server calls it. */
export const FEATURES = [
  { name: '`@log` to a logger that drops lines', feature: 'log' },
  { name: '`@speed`', feature: 'speed' },
  { name: '`@version`', feature: 'version' },
  { name: 'security headers', feature: 'security' },
  { name: 'console', feature: 'console' },
]

/** The console keeps no secret from who measures it. */
export const env = { NODE_ENV: 'development' }
