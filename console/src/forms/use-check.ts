import { useEffect, useRef } from 'react'

const pauseMs = 400

interface Planned {
  readonly timer: number
  readonly abort: AbortController
}

function end(planned: Planned | undefined): void {
  clearTimeout(planned?.timer)
  planned?.abort.abort()
}

/** Runs a check after a pause in the typing. The answer to what was typed before is dropped. */
export function useCheck(check: (signal: AbortSignal) => Promise<void>) {
  const latest = useRef(check)
  latest.current = check
  const current = useRef<Planned>(undefined)
  const stop = () => end(current.current)
  useEffect(() => () => end(current.current), [])
  return {
    stop,
    schedule() {
      stop()
      const abort = new AbortController()
      const run = () => latest.current(abort.signal).catch(() => {})
      current.current = { abort, timer: window.setTimeout(run, pauseMs) }
    },
  }
}
