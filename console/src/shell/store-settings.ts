import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { send } from '../api/client.ts'
import { valueAt } from '../api/objects.ts'
import { showTimesIn } from '../words/times.ts'

interface StoreSettings {
  readonly name: string | undefined
  readonly zone: string | undefined
}

const textAt = (body: unknown, path: string): string | undefined => {
  const value = valueAt(body, path)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** What the store has chosen for the screens. A store that has not, or a caller who may not read it, changes nothing. */
export function useStoreSettings(): StoreSettings {
  const { data } = useQuery({
    queryKey: ['item', '/v2/settings', 'store'],
    queryFn: async ({ signal }) => {
      const { body } = await send({ path: '/v2/settings', signal })
      return { name: textAt(body, 'data.name'), zone: textAt(body, 'data.time_zone') }
    },
    staleTime: 60_000,
  })
  useEffect(() => showTimesIn(data?.zone), [data?.zone])
  return data ?? { name: undefined, zone: undefined }
}
