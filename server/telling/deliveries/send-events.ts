import type { Background } from '../../kernel/work/background.ts'
import { openNetwork } from '../targets/network.ts'
import { Engine } from './engine.ts'
import { followFeed } from './follow-feed.ts'

/** Makes jobs of the changes of all stores, and sends them. */
export const sendEvents: Background = {
  name: 'deliveries:send-events',
  start(instance) {
    const network = openNetwork(instance.maySendTo)
    const engine = new Engine(instance, network)
    const stopping = new AbortController()
    const following = followFeed(instance, (storeId, ids) => engine.wake(storeId, ids), stopping.signal)
    return {
      async stop() {
        stopping.abort()
        await following
        await engine.stop()
        network.close()
      },
    }
  },
}
