import { useSyncExternalStore } from 'react'

function subscribe(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the tab is in front. Only that one waits for changes: a browser has few connections to a server. */
export const useIsInFront = (): boolean =>
  useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')
