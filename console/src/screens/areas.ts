import type { Resource } from '../api/document.ts'
import { resources } from '../api/resources.ts'

interface Area {
  readonly title: string
  /** The ids of the lists in the rail. All others are on the page of all resources. */
  readonly lists: readonly string[]
}

const areas: readonly Area[] = [
  {
    title: 'Sell',
    lists: [
      ...['orders', 'carts', 'products', 'hierarchies', 'pricebooks', 'catalogs'],
      ...['rule-promotions', 'promotions', 'accounts', 'customers', 'stocks', 'files'],
    ],
  },
  {
    title: 'Build',
    lists: ['custom-apis', 'flows', 'application-keys', 'integrations', 'pim-jobs'],
  },
  {
    title: 'Settings',
    lists: ['authentication-realms', 'currencies', 'gateways'],
  },
]

export interface RailGroup {
  readonly title: string
  readonly links: readonly Resource[]
}

/** The links of the rail. What the document does not have is not shown. */
export const rail: readonly RailGroup[] = areas.map(({ title, lists }) => ({
  title,
  links: lists.flatMap((id) => resources.find((one) => one.id === id) ?? []),
}))

/** Lists that need no parent, by the groups of the document. */
export const allGroups: readonly RailGroup[] = [
  ...Map.groupBy(
    resources.filter(({ path }) => !path.includes('{')),
    ({ group }) => group,
  ),
].map(([title, links]) => ({ title, links }))
