import { module } from '../kernel/module.ts'
import { cartSettings } from './cart-settings.ts'
import { getStore } from './get-store.ts'
import { settings as storeSettings } from './settings.ts'

export { storeSettings }

export const settings = module({
  name: 'settings',
  about: 'Settings of the store, and its name.',
  singletons: [storeSettings, cartSettings],
  actions: [getStore],
})
