import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import type { Resource } from '../../api/document.ts'
import { type Item, isItem, pageIn, valueAt } from '../../api/objects.ts'
import { fillPath, resourceOf } from '../../api/resources.ts'
import { textOf } from './identities.ts'

export const linksId = 'user-authentication-oidc-profile-infos'
export const passwordsId = 'user-authentication-password-profile-infos'

/** More sign-ins of one kind than anybody has. */
const limit = 100

/** The sign-ins of a user of one kind, and where they are. */
export function useSignIns(id: string, userPath: string | undefined, isAllowed: boolean) {
  const resource = resourceOf(id)
  const path = resource && userPath ? fillPath(resource.path, userPath) : ''
  return useQuery({
    queryKey: ['list', path],
    queryFn: async ({ signal }) =>
      pageIn((await send({ path: `${path}?page[limit]=${limit}`, signal })).body).rows,
    enabled: path !== '' && isAllowed,
  })
}

export const linkPathOf = ({ path }: Resource, userPath: string, link: Item): string =>
  `${fillPath(path, userPath)}/${link.id}`

/** The path of the user whose sign-in this is. */
export const userPathOf = (linkPath: string): string => linkPath.split('/').slice(0, -2).join('/')

/** The path of the realm of a user. */
export const realmPathOf = (userPath: string): string => userPath.split('/').slice(0, -2).join('/')

/** The OIDC profile of a link: the provider, as the realm knows it. */
export function useProfile(realmPath: string, link: Item) {
  const path = `${realmPath}/oidc-profiles/${textOf(link, 'oidc_profile_id')}`
  return useItem(path)
}

export function useItem(path: string | undefined) {
  return useQuery({
    queryKey: ['item', path, 'of a sign-in'],
    queryFn: async ({ signal }) => {
      const { body, etag } = await send({ path: path ?? '', signal })
      const data = valueAt(body, 'data')
      return { item: isItem(data) ? data : {}, etag }
    },
    enabled: path !== undefined,
    retry: false,
  })
}
