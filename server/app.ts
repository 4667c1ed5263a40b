import { accountMemberToken, accounts } from './accounts/index.ts'
import { cartItemChapter } from './cart-items/index.ts'
import { cartPaymentChapter } from './cart-payments/index.ts'
import { cartChapter } from './carts/index.ts'
import { catalogChapter } from './catalogs/index.ts'
import { changes } from './changes/index.ts'
import { currencyChapter } from './currencies/index.ts'
import { customers, customerToken } from './customers/index.ts'
import { deliveries } from './deliveries/index.ts'
import { discounts } from './discounts/index.ts'
import { events } from './events/index.ts'
import { exportChapter } from './exports/index.ts'
import { extensions } from './extensions/index.ts'
import { fileChapter } from './files/index.ts'
import { flows, withIncludedEntries } from './flows/index.ts'
import { gatewayChapter } from './gateways/index.ts'
import { hierarchyChapter } from './hierarchies/index.ts'
import { identity } from './identity/index.ts'
import { imports } from './imports/index.ts'
import { integrationChapter } from './integrations/index.ts'
import { inventoryChapter } from './inventories/index.ts'
import { pimJobChapter } from './jobs/index.ts'
import { joined, type Module } from './kernel/module.ts'
import { withLinkedCreates } from './kernel/request/create-linked.ts'
import type { ShopperToken } from './kernel/work/context.ts'
import { keys } from './keys/index.ts'
import { manualOrderChapter } from './manual-orders/index.ts'
import { metrics } from './metrics/index.ts'
import { moneyChapter } from './money/index.ts'
import { oidc } from './oidc/index.ts'
import { orderExportChapter } from './order-exports/index.ts'
import { orderChapter } from './orders/index.ts'
import { passwords } from './passwords/index.ts'
import { payments } from './payments/index.ts'
import { permissions } from './permissions/index.ts'
import { personalData } from './personal-data/index.ts'
import { priceImportChapter } from './price-import/index.ts'
import { pricebookChapter } from './pricebooks/index.ts'
import { pricing } from './pricing/index.ts'
import { productCsvChapter } from './product-csv/index.ts'
import { productChapter } from './products/index.ts'
import { promotionCodeChapter } from './promotion-codes/index.ts'
import { promotionChapter } from './promotions/index.ts'
import { publishing } from './publishing/index.ts'
import { releaseChapter } from './releases/index.ts'
import { rulePromotionChapter } from './rule-promotions/index.ts'
import { searchChapter } from './search/index.ts'
import { settings } from './settings/index.ts'
import { simulationChapter } from './simulations/index.ts'
import { releaseContents, storefront } from './storefront/index.ts'
import { stripe } from './stripe/index.ts'
import { targets } from './targets/index.ts'
import { totals } from './totals/index.ts'
import { transactionChapter } from './transactions/index.ts'
import { variationChapter } from './variations/index.ts'

const chapters: readonly Module[] = [
  settings,
  keys,
  targets,
  identity,
  passwords,
  oidc,
  accounts,
  customers,
  extensions,
  permissions,
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
  discounts,
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
  events,
  deliveries,
]

/** Nothing registers itself; a module may use only the modules above it. */
const all: readonly Module[] = [...chapters, changes(() => all), personalData(chapters)]

/** Everything the server does. */
export const app: readonly Module[] = withIncludedEntries(withLinkedCreates(joined(all)))

/** The tokens that identify the calling person, beside the bearer token. */
export const shopperTokens: readonly ShopperToken[] = [accountMemberToken, customerToken]
