import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from '../../server/app.ts'
import { module } from '../../server/kernel/module.ts'
import { access } from '../../server/people/permissions/access.ts'
import { addPaperItems } from './add-paper-items.ts'
import { announceCheckout, checkOutPaperCart } from './check-out-paper-cart.ts'
import { countGadgets } from './count-gadgets.ts'
import { allCrateLabels, crateLabels } from './crate-labels.ts'
import { crates, thingsOfCrate, topOfCrate } from './crates.ts'
import { gadgets } from './gadgets.ts'
import { paperCarts, thingsOfPaperCart } from './paper-carts.ts'
import { paperLines } from './paper-lines.ts'
import { shipCrate } from './ship-crate.ts'
import { things } from './things.ts'
import { widgets } from './widgets.ts'

const workshop = module({
  name: 'workshop',
  about: 'Features of the kernel that no module of the application uses yet.',
  alsoUnder: '/workshop',
  resources: [crates, gadgets, paperCarts, paperLines, things, widgets],
  relationships: [thingsOfCrate, thingsOfPaperCart, topOfCrate],
  actions: [
    addPaperItems,
    checkOutPaperCart,
    countGadgets,
    shipCrate,
    crateLabels.list,
    crateLabels.get,
    crateLabels.create,
    crateLabels.update,
    crateLabels.delete,
    allCrateLabels.create,
    allCrateLabels.delete,
  ],
  jobs: [announceCheckout],
})

/** The application and the workshop: the options for `openWorld`. */
export const appAndWorkshop = {
  modules: [...app, workshop],
  access: {
    ...access,
    crates: { client_credentials: 'rw' },
    gadgets: { implicit: 'r', 'account-member': 'r', customer: 'r', client_credentials: 'rw' },
    'paper-carts': { implicit: 'rw', client_credentials: 'rw' },
    things: { client_credentials: 'rw' },
    widgets: { client_credentials: 'rw' },
  },
  /** Creates the tables of the workshop. */
  sql: readFileSync(join(import.meta.dirname, 'tables.sql'), 'utf8'),
} as const
