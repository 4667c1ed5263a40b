import { module } from '../../kernel/module.ts'
import { createStock, createStockOfProduct } from './create-stock.ts'
import { createStockTransaction } from './create-stock-transaction.ts'
import { type Dialect, flatDialect, inEither, locatedDialect } from './dialects.ts'
import { inventoryLocations } from './inventory-locations.ts'
import { listStocksOfProducts } from './list-stocks-of-products.ts'
import { updateStock } from './update-stock.ts'

const operationsIn = (dialect: Dialect) => ({
  resources: [dialect.stocks, dialect.transactions],
  actions: [createStock, createStockOfProduct, listStocksOfProducts, updateStock, createStockTransaction].map(
    (declared) => declared(dialect),
  ),
})

const { resources, actions } = operationsIn(flatDialect)
const about = {
  name: 'inventories',
  about: 'The stock of products, its locations and its transactions.',
}

export const inventoryChapter = inEither(
  module({ ...about, resources: [...resources, inventoryLocations], actions }),
  module({ ...about, ...operationsIn(locatedDialect) }),
)
