import type { ClientBase } from 'pg'

/**
 * Has a new connection plan each prepared statement once, for no particular value. PostgreSQL would plan many of the
 * statements of a write anew at each call, because it estimates the general plan slightly higher: that takes ten times
 * as long as to run them. They find rows by keys, so every value has the same plan. Lists and searches have connections
 * that plan for their values.
 */
export function planOnce(client: ClientBase): void {
  client.query('SET plan_cache_mode = force_generic_plan').catch(() => {})
}
