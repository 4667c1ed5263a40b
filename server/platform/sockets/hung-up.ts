import type { Socket } from 'node:net'
import { ClientGone } from '../faults.ts'

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborted when the client closes its connection: whoever asked for anything on it waits for no answer. */
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
