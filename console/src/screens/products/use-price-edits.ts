import { useState } from 'react'
import { keepPreference, keptPreference } from '../../api/preferences.ts'
import type { Edits } from './prices.ts'

/** What was typed into the grid of a product. It stays while other tabs are open, and across a reload. */
export function usePriceEdits(itemPath: string) {
  const name = `prices ${itemPath}`
  const [edits, setEdits] = useState<Edits>(() => JSON.parse(keptPreference(name) ?? '{}'))
  const change = (next: (before: Edits) => Edits) =>
    setEdits((before) => {
      const after = next(before)
      keepPreference(name, Object.keys(after).length ? JSON.stringify(after) : undefined)
      return after
    })
  return [edits, change] as const
}
