import {
  hierarchyChapter,
  inventoryChapter,
  productChapter,
  productCsvChapter,
  variationChapter,
} from './assortment/index.ts'
import { bulkChange } from './bulk-changes/index.ts'
import { cartChapter, cartItemChapter, simulationChapter, totals } from './carts/index.ts'
import { extensions, fieldValues, flows, withIncludedEntries } from './fields/index.ts'
import { joined, type Module } from './kernel/module.ts'
import { withLinkedCreates } from './kernel/request/create-linked.ts'
import type { ShopperToken } from './kernel/work/context.ts'
import { metrics, orderChapter, orderExportChapter } from './orders/index.ts'
import {
  cartPaymentChapter,
  gatewayChapter,
  manualOrderChapter,
  payments,
  stripe,
  transactionChapter,
} from './payments/index.ts'
import {
  accountMemberToken,
  accounts,
  colleagues,
  customers,
  customerToken,
  identity,
  keys,
  oidc,
  passwords,
  permissions,
} from './people/index.ts'
import { personalData } from './personal-data/index.ts'
import { moneyChapter, pricebookChapter, priceImportChapter, pricing } from './prices/index.ts'
import { promotionChapter, promotionCodeChapter, rulePromotionChapter } from './promotions/index.ts'
import {
  catalogChapter,
  publishing,
  releaseChapter,
  releaseContents,
  searchChapter,
  storefront,
} from './shop/index.ts'
import {
  currencyChapter,
  exportChapter,
  fileChapter,
  imports,
  pimJobChapter,
  settings,
} from './store/index.ts'
import { changes, deliveries, integrationChapter } from './telling/index.ts'

const chapters: readonly Module[] = [
  settings,
  keys,
  identity,
  passwords,
  oidc,
  accounts,
  customers,
  fieldValues,
  extensions,
  permissions,
  colleagues,
  currencyChapter,
  pimJobChapter,
  imports,
  fileChapter,
  exportChapter,
  flows(() => chapters),
  productChapter,
  hierarchyChapter,
  productCsvChapter,
  variationChapter,
  pricebookChapter,
  pricing,
  priceImportChapter,
  inventoryChapter,
  catalogChapter,
  publishing,
  releaseChapter,
  storefront,
  releaseContents,
  searchChapter,
  moneyChapter,
  totals,
  promotionChapter,
  rulePromotionChapter,
  promotionCodeChapter,
  cartChapter,
  cartItemChapter,
  simulationChapter,
  gatewayChapter,
  payments,
  orderChapter,
  orderExportChapter,
  stripe,
  transactionChapter,
  manualOrderChapter,
  cartPaymentChapter,
  metrics,
  integrationChapter,
  deliveries,
]

/** Nothing registers itself. The API document has the chapters in this order. */
const all: readonly Module[] = [
  ...chapters,
  changes(() => all),
  personalData(chapters),
  bulkChange(() => app),
]

/** Everything the server does. */
export const app: readonly Module[] = withIncludedEntries(withLinkedCreates(joined(all)))

/** The tokens that identify the calling person, beside the bearer token. */
export const shopperTokens: readonly ShopperToken[] = [accountMemberToken, customerToken]
