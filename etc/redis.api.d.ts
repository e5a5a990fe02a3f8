export {
  RedisClient,
  RedisIdempotencyOptions,
  RedisLimitsOptions,
  RedisSessionsOptions,
  redisIdempotency,
  redisLimits,
  redisSessions,
} from './core.js'
