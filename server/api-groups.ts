import type { TagGroups } from './kernel/openapi/tags.ts'

/**
 * How readers of the API document find an operation: the groups, and in each the nouns of the API with the modules that
 * they stand for.
 */
export const groups: TagGroups = {
  Store: {
    Settings: ['settings'],
    'Application keys': ['keys'],
    Currencies: ['currencies'],
    Files: ['files'],
    'Changes and audit': ['changes'],
    'Personal data': ['personal-data'],
  },
  'Custom data': {
    Flows: ['flows'],
    'Custom APIs': ['extensions'],
    Roles: ['permissions'],
  },
  'Sign-in': {
    'Authentication realms': ['identity'],
    Passwords: ['passwords'],
    'OpenID Connect': ['oidc'],
  },
  Shoppers: {
    Accounts: ['accounts'],
    Customers: ['customers'],
  },
  Products: {
    Products: ['products'],
    'Product imports and exports': ['product-csv', 'exports'],
    Variations: ['variations'],
    Hierarchies: ['hierarchies'],
    'Price books': ['pricebooks', 'price-import'],
    Inventories: ['inventories'],
    'PIM jobs': ['pim-jobs'],
  },
  Catalogs: {
    Catalogs: ['catalogs'],
    Releases: ['releases'],
    'Contents of releases': ['release contents'],
    'Shopper catalog': ['storefront'],
    Search: ['search'],
  },
  Promotions: {
    Promotions: ['promotions'],
    'Rule promotions': ['rule-promotions'],
    'Promotion codes': ['promotion-codes'],
    'Promotion simulations': ['simulations'],
  },
  'Carts and orders': {
    Carts: ['carts'],
    'Cart items': ['cart-items'],
    'Cart payments': ['cart-payments'],
    Orders: ['orders', 'manual-orders'],
    'Order exports': ['order-exports'],
    'Order metrics': ['metrics'],
    Transactions: ['transactions'],
    Gateways: ['gateways'],
  },
  Integrations: {
    Integrations: ['integrations'],
    'Integration jobs and logs': ['deliveries'],
  },
}
