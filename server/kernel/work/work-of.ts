import { Store } from '../storage/store.ts'
import { type Instance, Work } from './context.ts'

/** Work in a store on behalf of an author (`authorOf`), outside of a request: for a job, or for the first day. */
export function workOf(instance: Instance, { store, by }: { store: string; by: string }): Work {
  const [actor = ''] = by.split(' ')
  return new Work({
    store: new Store(store, instance.homes.of(store), () => instance.clock.now(), by),
    who: { storeId: store, kind: 'job', grant: 'job', keyId: '', actor, caller: actor },
    requestId: requestIdOf(by),
    instance,
  })
}

/** The request that an author has made. */
export const requestIdOf = (by: string): string => by.split(' ')[1] ?? ''
