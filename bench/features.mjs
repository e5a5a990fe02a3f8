/** Features of Verbena to measure: the name in the table, and the argument for `start` of its server. */
export const FEATURES = [
  { name: '`@log` to a logger that drops lines', feature: 'log' },
  { name: '`@speed`', feature: 'speed' },
  { name: '`@version`', feature: 'version' },
  { name: 'security headers', feature: 'security' },
  { name: 'a service that reads `log`', feature: 'service-log' },
  { name: 'console', feature: 'console' },
]

/** Environment that enables the console. */
export const env = { NODE_ENV: 'development' }
