import type { Resource } from '../api/document.ts'
import { resources } from '../api/resources.ts'
import type { Rights } from '../api/rights.ts'
import { type Words, words } from '../words/words.ts'

interface Area {
  readonly name: keyof Words['areas']
  /** The ids of the lists in the rail. All others are on the page of all resources. */
  readonly lists: readonly string[]
}

const areas: readonly Area[] = [
  {
    name: 'sell',
    lists: [
      ...['orders', 'carts', 'products', 'hierarchies', 'pricebooks', 'catalogs'],
      ...['rule-promotions', 'promotions', 'accounts', 'customers', 'stocks', 'files'],
    ],
  },
  {
    name: 'build',
    lists: ['custom-apis', 'flows', 'application-keys', 'integrations', 'pim-jobs'],
  },
  {
    name: 'settings',
    lists: [
      ...['settings', 'cart-settings', 'authentication-realms', 'currencies', 'gateways'],
      ...['role-assignments', 'colleague-invitations'],
    ],
  },
]

export interface RailGroup {
  readonly title: string
  readonly links: readonly Resource[]
}

/** Lists that need no parent. */
export const screens: readonly Resource[] = resources.filter(({ path }) => !path.includes('{'))

const withLinks = ({ links }: RailGroup) => links.length > 0

/** The links of the rail, to what the caller may see. */
export const railOf = ({ may }: Rights): readonly RailGroup[] =>
  areas
    .map(({ name, lists }) => ({
      title: words.areas[name],
      links: lists
        .flatMap((id) => screens.find((one) => one.id === id) ?? [])
        .filter(({ right }) => may(right)),
    }))
    .filter(withLinks)

/** The lists that the caller may see, by the groups of the document. */
export const allGroups = ({ may }: Rights): readonly RailGroup[] =>
  [
    ...Map.groupBy(
      screens.filter(({ right }) => may(right)),
      ({ group }) => group,
    ),
  ].map(([title, links]) => ({ title, links }))
