import { module } from '../kernel/declare/module.ts'
import { cartSettings } from './cart-settings.ts'
import { settings as storeSettings } from './settings.ts'
import { getStore, listStores } from './stores.ts'

export { storeSettings }

export const settings = module({
  name: 'settings',
  about: 'Settings of the store, and its name.',
  singletons: [storeSettings, cartSettings],
  actions: [listStores, getStore],
})
