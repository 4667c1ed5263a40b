import type { ServerResponse } from 'node:http'

/** A turn of the event loop that has taken so long keeps the requests at work from the replies of the database. */
const turnMaxMs = 3
const restMs = 100

let turnBeganMs: number | undefined

function turnMs(): number {
  const nowMs = performance.now()
  if (turnBeganMs === undefined) {
    turnBeganMs = nowMs
    setImmediate(() => {
      turnBeganMs = undefined
    })
  }
  return nowMs - turnBeganMs
}

/**
 * For a refusal. If there are so many in this turn of the event loop that it takes long, the connection is not read for
 * a while after it: what it sends waits in the buffers of the system, and costs nothing.
 */
export function restIfMany(response: ServerResponse): void {
  if (turnMs() < turnMaxMs) return
  const { socket } = response
  if (!socket) return
  response.once('finish', () => {
    socket.pause()
    setTimeout(() => socket.resume(), restMs)
  })
}
