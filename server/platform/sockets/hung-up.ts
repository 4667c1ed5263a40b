import type { Socket } from 'node:net'
import { ClientGone } from '../faults.ts'

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborts when the client closes its connection, since no one then waits for a response. */
export function hangUpSignal(socket: Socket): AbortSignal {
  const cached = signals.get(socket)
  if (cached) return cached
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientGone())
  if (socket.destroyed) abort()
  else socket.once('close', abort)
  signals.set(socket, controller.signal)
  return controller.signal
}
