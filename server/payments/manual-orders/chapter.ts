import { module } from '../../kernel/module.ts'
import { createManualOrder } from './create-manual-order.ts'
import { deleteManualOrder } from './delete-manual-order.ts'

export const manualOrderChapter = module({
  name: 'manual-orders',
  about: 'Orders that sellers enter without a cart.',
  actions: [createManualOrder, deleteManualOrder],
})
