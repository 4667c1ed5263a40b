import Fastify, { type FastifyInstance } from 'fastify'
import packageJson from '../package.json' with { type: 'json' }
import { app, shopperTokens } from './app.ts'
import type { AccessTable } from './kernel/auth/access.ts'
import type { Module } from './kernel/module.ts'
import { apiDocument } from './kernel/openapi/document.ts'
import type { TagGroups } from './kernel/openapi/tags.ts'
import type { ApiDocument } from './kernel/shape/api-document.ts'
import type { OwnModel } from './kernel/shape/model.ts'
import { access as appAccess, persons } from './people/index.ts'

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
    'Bulk changes': ['bulk-changes'],
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
    Colleagues: ['colleagues'],
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

const description = `Get an access token with an application key, then send it with every request:

    curl $SERVER/oauth/access_token -d grant_type=client_credentials \\
      -d client_id=$CLIENT_ID -d client_secret=$CLIENT_SECRET
    curl $SERVER/v2/accounts -H "Authorization: Bearer $TOKEN"

Request and response bodies are JSON in the envelope \`{"data": {"type": …, …}}\`. An error response is
\`{"errors": [{"title", "status", "detail", "code", "source"}]}\`.`

const about = {
  title: 'Sutler',
  version: packageJson.version,
  description,
  groups,
  tokenPath: '/oauth/access_token',
  shopperTokens,
}

/** The API document of the whole server, or of one with other modules. */
export const sutlerApi = (
  modules: readonly Module[] = app,
  access: AccessTable = appAccess,
  own?: OwnModel,
): ApiDocument => apiDocument(modules, { ...about, access: withoutRoles(access) }, own)

/** The table without the roles of colleagues: `GET /v2/permissions/own` says what a role may do. */
const withoutRoles = (access: AccessTable): AccessTable =>
  Object.fromEntries(
    Object.entries(access).map(([area, rights]) => [
      area,
      Object.fromEntries(Object.entries(rights).filter(([kind]) => !persons.has(kind))),
    ]),
  )

/**
 * A server of the page that shows the API document. Loading the page takes a fifth of the start of a process, and most
 * processes never show it: so it is opened at its first request.
 */
export async function openDocsPage(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const pages = Fastify()
  await pages.register(apiReference, page)
  return pages
}

const page = {
  routePrefix: '/docs',
  configuration: {
    url: '../openapi.json',
    pageTitle: 'Sutler API',
    theme: 'default',
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: true,
    authentication: { preferredSecurityScheme: 'applicationKey' },
  },
} as const
