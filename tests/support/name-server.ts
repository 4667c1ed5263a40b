import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/** A name server on this machine. */
export interface NameServer {
  readonly address: string
  /** The IPv4 addresses of each name: for each question the next one, then the last one. Undefined is no answer. */
  readonly names: Map<string, (string | undefined)[]>
  close(): Promise<void>
}

/** The part of DNS (RFC 1035) that questions about IPv4 addresses need. Other names and types do not exist. */
export async function openNameServer(): Promise<NameServer> {
  const names: NameServer['names'] = new Map()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const isA = query.readUInt16BE(at + 1) === 1
    const addresses = names.get(labels.join('.').toLowerCase())
    const address = isA && addresses ? (addresses.length > 1 ? addresses.shift() : addresses[0]) : undefined
    if (addresses && isA && address === undefined) return
    const question = query.subarray(12, at + 5)
    const answer = Buffer.alloc(address ? 16 : 0)
    if (address) {
      answer.writeUInt16BE(0xc00c, 0)
      answer.writeUInt16BE(1, 2)
      answer.writeUInt16BE(1, 4)
      answer.writeUInt16BE(4, 10)
      answer.set(address.split('.').map(Number), 12)
    }
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(address ? 1 : 0, 6)
    socket.send(Buffer.concat([header, question, answer]), from.port, from.address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    names,
    close: () => new Promise((done) => socket.close(done)),
  }
}
