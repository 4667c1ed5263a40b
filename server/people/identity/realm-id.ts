import { Memory } from '../../kernel/memory.ts'
import type { Work } from '../../kernel/work/context.ts'
import { perInstance } from '../../kernel/work/per-instance.ts'
import type { Origin } from './authentication-realms.ts'

// The realms of a store never change, so the cache is always right.
const realmIds = perInstance(() => new Memory<string, string>(10_000))

async function realmIdOf(work: Work, origin: Origin): Promise<string> {
  const cache = realmIds(work.instance)
  const key = `${work.store.id} ${origin}`
  const cachedId = cache.get(key)
  if (cachedId) return cachedId
  const [row] = await work.store.read(
    'SELECT id FROM authentication_realms WHERE store_id = $1 AND origin = $2',
    origin,
  )
  if (!row?.[0]) throw new Error(`store ${work.store.id} has no realm of ${origin}`)
  cache.set(key, row[0])
  return row[0]
}

/** The realm of the store's account members. */
export const accountRealmId = async (work: Work): Promise<string> =>
  realmIdOf(work, 'account_authentication_settings')

/** The realm of the store's customers. */
export const customerRealmId = async (work: Work): Promise<string> =>
  realmIdOf(work, 'customer-authentication-settings')
