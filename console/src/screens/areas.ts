import type { Resource } from '../api/document.ts'
import type { OwnDraft } from '../api/drafts.ts'
import { allResources, resourceOf } from '../api/resources.ts'
import type { Rights } from '../api/rights.ts'
import { words } from '../words/words.ts'
import { pages } from './more-screens.ts'

interface Area {
  readonly name: 'sell' | 'build' | 'settings'
  /** The ids of the lists and pages in the rail. All others are on the page of all resources. */
  readonly lists: readonly string[]
}

const areas: readonly Area[] = [
  {
    name: 'sell',
    lists: [
      ...['orders', 'open-payments', 'carts', 'products', 'hierarchies', 'pricebooks', 'catalogs'],
      ...['rule-promotions', 'promotions', 'accounts', 'customers', 'stocks', 'files'],
    ],
  },
  {
    name: 'build',
    lists: ['custom-apis', 'flows', 'application-keys', 'integrations', 'bulk-changes', 'pim-jobs'],
  },
  {
    name: 'settings',
    lists: [
      ...['settings', 'cart-settings', 'authentication-realms', 'currencies', 'gateways'],
      ...['role-assignments', 'colleague-invitations'],
    ],
  },
]

/** A screen that one can go to from anywhere. */
export type RailLink = Pick<Resource, 'id' | 'title' | 'path' | 'item' | 'right' | 'group' | 'own'>

export interface RailGroup {
  readonly title: string
  readonly links: readonly RailLink[]
}

/** Lists that need no parent. */
export const listsNow = (): readonly Resource[] => allResources().filter(({ path }) => !path.includes('{'))

const pagesNow = (): readonly RailLink[] =>
  pages.map(({ id, path, right, beside, title }) => ({
    ...{ id, path, right, title: title(), group: resourceOf(beside)?.group ?? '' },
  }))

export const screensNow = (): readonly RailLink[] => [...listsNow(), ...pagesNow()]

const withLinks = ({ links }: RailGroup) => links.length > 0

/** What a store has added and has no place in the rail is on the page of all resources. */
const ownMax = 20

/** The links of the rail, to what the caller may see: the console's own choice, then what the store has added. */
export function railOf({ may }: Rights): readonly RailGroup[] {
  const screens = screensNow().filter(({ right }) => may(right))
  const added = (kind: Resource['own']) => screens.filter(({ own }) => own === kind).slice(0, ownMax)
  const [sell, ...others] = areas.map(({ name, lists }) => ({
    title: words.areas[name],
    links: lists.flatMap((id) => screens.find((one) => one.id === id) ?? []),
  }))
  return [
    ...(sell ? [sell] : []),
    { title: words.areas.customApis, links: added('custom-api') },
    { title: words.areas.flows, links: added('flow') },
    ...others,
  ].filter(withLinks)
}

const groupOf = ({ own, group }: RailLink): string =>
  own ? words.areas[own === 'flow' ? 'flows' : 'customApis'] : group

/** The lists that the caller may see, by the groups of the document. */
export const allGroups = ({ may }: Rights): readonly RailGroup[] =>
  [
    ...Map.groupBy(
      screensNow().filter(({ right }) => may(right)),
      groupOf,
    ),
  ].map(([title, links]) => ({ title, links }))

/** The ids of the links that lead to drafts: each draft belongs to the nearest. */
export const draftsIn = (
  links: readonly RailLink[],
  drafts: readonly Pick<OwnDraft, 'path'>[],
): ReadonlySet<string> =>
  new Set(
    drafts.flatMap(({ path: at }) => {
      const holding = links.filter(({ path }) => at === path || at.startsWith(`${path}/`))
      return holding.toSorted((one, other) => other.path.length - one.path.length)[0]?.id ?? []
    }),
  )
