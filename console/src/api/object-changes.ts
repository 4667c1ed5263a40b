import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { feedEnd, followFeed } from './feed.ts'
import { useIsInFront } from './in-front.ts'
import { rightsQuery } from './rights.ts'

/**
 * Tells when somebody changes an object that is on the screen, as soon as the feed has it, if the caller may read that.
 * Without a type there is nothing to wait for.
 */
export function useObjectChanges(type: string | undefined, id: string, onChange: () => void): void {
  const queries = useQueryClient()
  const latest = useRef(onChange)
  latest.current = onChange
  const isInFront = useIsInFront()
  const reached = useRef<number>(undefined)
  useEffect(() => {
    if (type === undefined || !isInFront) return
    const end = new AbortController()
    const { signal } = end
    const follow = async () => {
      const rights = await queries.ensureQueryData(rightsQuery)
      if (!rights.may('read changes') || signal.aborted) return
      const after = reached.current ?? (await feedEnd(signal))
      reached.current = after
      await followFeed({
        ...{ type, after, signal },
        onChanges(changes, position) {
          reached.current = position
          if (changes.some((one) => one.id === id)) latest.current()
        },
      })
    }
    void follow().catch(() => {})
    return () => end.abort()
  }, [type, id, queries, isInFront])
}
