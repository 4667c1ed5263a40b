import type { Socket } from 'node:net'
import { ClientGone } from '../faults.ts'

const signals = new WeakMap<Socket, AbortSignal>()

/** Aborted when the client closes its connection: whoever asked for anything on it waits for no answer. */
export function hangUpSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket)
  if (known) return known
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientGone())
  if (socket.destroyed) abort()
  else socket.once('close', abort)
  signals.set(socket, controller.signal)
  return controller.signal
}
