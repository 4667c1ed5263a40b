import type { MayConnect } from '../server/platform/sockets/checked-lookup.ts'
import { fileBytesMax } from '../server/store/index.ts'
import { exchange, openNetwork } from '../server/telling/index.ts'
import type { FileAccess } from './copying/read-content.ts'

/** The way to the files of a store that is copied: to its own server, and to other addresses that are allowed. */
export function openFileAccess(mayConnect: MayConnect): FileAccess {
  const networks = { own: openNetwork(() => true), others: openNetwork(mayConnect) }
  return {
    bytesMax: fileBytesMax,
    get: (url, whose, signal) => {
      const request = { url, method: 'GET', headers: {}, body: [] }
      return exchange(networks[whose], request, { bytesMax: fileBytesMax }, signal)
    },
    close: () => {
      for (const network of Object.values(networks)) network.close()
    },
  }
}
