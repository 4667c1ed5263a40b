import { module } from '../../kernel/module.ts'
import { cartSettings } from './cart-settings.ts'
import { settings as storeSettings } from './settings.ts'
import { getStore, listStores } from './stores.ts'

export const settings = module({
  name: 'settings',
  about: 'The settings and the name of the store.',
  singletons: [storeSettings, cartSettings],
  actions: [listStores, getStore],
})
