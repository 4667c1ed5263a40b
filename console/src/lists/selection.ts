import { useSyncExternalStore } from 'react'

/** More objects than these are not selected all at once. */
export const selectMax = 10_000

/** The rows that were selected in each list. They survive paging and going elsewhere, until the tab is closed. */
const selections = new Map<string, ReadonlySet<string>>()
const listeners = new Set<() => void>()
const none: ReadonlySet<string> = new Set()

export function useSelection(list: string) {
  const selected = useSyncExternalStore(subscribe, () => selections.get(list) ?? none)
  const change = (next: ReadonlySet<string>) => {
    selections.set(list, next)
    for (const listener of listeners) listener()
  }
  return {
    selected,
    set: (ids: readonly string[], isSelected: boolean) =>
      change(isSelected ? selected.union(new Set(ids)) : selected.difference(new Set(ids))),
    clear: () => change(none),
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
