import { useSyncExternalStore } from 'react'
import { exactTimeText, timeText, zoneStore } from '../words/times.ts'

/** A time in the zone of the store. Its title says it to the second, with the zone. */
export function Time({ iso }: { readonly iso: string }) {
  const zone = useSyncExternalStore(zoneStore.subscribe, zoneStore.get)
  return (
    <time dateTime={iso} title={exactTimeText(iso, zone)}>
      {timeText(iso, zone)}
    </time>
  )
}
