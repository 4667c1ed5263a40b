import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Resource } from '../api/document.ts'
import { type FeedChange, feedEnd, followFeed } from '../api/feed.ts'
import { useIsInFront } from '../api/in-front.ts'
import { rightsQuery } from '../api/rights.ts'

/** More objects than these are not counted. */
export const countMax = 100

/** The position of each object's last change. */
type Changed = ReadonlyMap<string, number>

export interface Changes {
  /** The position of the feed that a list has surely read which is requested now. */
  position(signal: AbortSignal): Promise<number | undefined>
  /** How many objects have changed after a position. */
  after(position: number | undefined): number
}

/** Knows from the feed how many objects of a list have changed since it was read, if the caller may read that. Only the tab in front asks. */
export function useChanges({ type, parentId }: Resource, listPath: string): Changes {
  const queries = useQueryClient()
  const reached = useRef<number>(undefined)
  const [start, setStart] = useState<number>()
  const [changed, setChanged] = useState<Changed>(new Map())
  const isInFront = useIsInFront()
  useEffect(() => {
    if (start === undefined || !isInFront) return
    const end = new AbortController()
    const after = reached.current ?? start
    const onChanges = (changes: readonly FeedChange[], position: number) => {
      reached.current = position
      const own = changes.filter(({ parent }) =>
        parentId === undefined ? isBelow(listPath, parent) : parent === parentId,
      )
      if (own.length) setChanged((before) => merge(before, own))
    }
    void followFeed({ type, after, signal: end.signal, onChanges })
    return () => end.abort()
  }, [start, isInFront, type, listPath, parentId])
  return {
    async position(signal) {
      if (reached.current === undefined) {
        const rights = await queries.ensureQueryData(rightsQuery)
        if (!rights.may('read changes')) return undefined
        reached.current = await feedEnd(signal)
        setStart(reached.current)
      }
      return reached.current
    },
    after: (position = Number.POSITIVE_INFINITY) =>
      [...changed.values()].filter((at) => at > position).length,
  }
}

/** A list below a parent shows only what belongs to it. */
const isBelow = (listPath: string, parent: string | undefined) =>
  !/\/[0-9a-f]{8}-[0-9a-f-]{27}\//.test(listPath) || (parent !== undefined && listPath.includes(parent))

function merge(before: Changed, changes: readonly FeedChange[]): Changed {
  const all = new Map(before)
  for (const { id, position } of changes) {
    all.delete(id)
    all.set(id, position)
  }
  return new Map([...all].slice(-countMax))
}
