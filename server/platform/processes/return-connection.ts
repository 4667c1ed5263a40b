import type { Worker } from 'node:cluster'

/** What the cluster of Node sends with a connection, as far as it matters here. */
interface HandOver {
  readonly act?: string
  readonly seq?: number
}

/** What a dead process has said may still be on its way. */
const readMs = 100

/**
 * Gives a connection to another process if the one that it was sent to ends before it takes it. Node waits for the
 * reply of the dead process, and the client for ever. The messages are Node's own: with others, this does nothing.
 */
export function returnConnection({ process }: Worker): void {
  let sent: number | undefined
  let isDisconnected = false
  const send = process.send.bind(process) as (message: HandOver, ...rest: unknown[]) => boolean
  process.send = ((message: HandOver, ...rest: unknown[]) => {
    if (message.act === 'newconn') sent = message.seq
    return send(message, ...rest)
  }) as typeof process.send
  process.prependListener('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack === sent) sent = undefined
  })
  process.once('disconnect', () => {
    isDisconnected = true
  })
  const giveBack = () => {
    if (sent === undefined) return
    // Node does not say so while it waits for the reply, and would go on sending connections there.
    if (!isDisconnected) process.emit('disconnect')
    process.emit('internalMessage' as 'message', { cmd: 'NODE_CLUSTER', ack: sent, accepted: false }, null)
  }
  process.once('exit', () => setTimeout(giveBack, readMs))
}
