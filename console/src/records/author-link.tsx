import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { send } from '../api/client.ts'
import type { Author } from '../api/history-entry.ts'
import { valueAt } from '../api/objects.ts'
import { placeAt } from '../api/resources.ts'
import { useRights } from '../api/rights.ts'
import { words } from '../words/words.ts'

/** Who made a change, with the way to the person or the key, for those who may look at it. */
export function AuthorLink({ author }: { readonly author: Author }) {
  const { id, name, email, kind = '' } = author
  const rights = useRights()
  const path = useAuthorPath(author)
  const text = name ?? email ?? (id === 'system' ? words.history.system : id)
  const about = [email !== text && email, words.history.kinds[kind]].filter(Boolean).join(', ')
  const right = path && placeAt(path)?.resource.right
  return (
    <>
      {right && rights.may(right) ? (
        <Link to="/$" params={{ _splat: path.slice(1) }}>
          <bdi>{text}</bdi>
        </Link>
      ) : (
        <strong>
          <bdi>{text}</bdi>
        </strong>
      )}
      {about && ` (${about})`}
    </>
  )
}

function useAuthorPath({ id, kind }: Author): string | undefined {
  const realm = useQuery({
    queryKey: ['merchant-realm'],
    queryFn: async ({ signal }) => {
      const { body } = await send({ path: '/v2/merchant-realm-mappings', signal })
      return String(valueAt(body, 'data.realm_id'))
    },
    staleTime: Number.POSITIVE_INFINITY,
    enabled: kind === 'colleague-token',
  })
  if (kind === 'client-credentials-token') return `/v2/application-keys/${id}`
  if (kind === 'customer-token') return `/v2/customers/${id}`
  if (kind === 'account-management-authentication-token') return `/v2/account-members/${id}`
  return kind === 'colleague-token' && realm.data
    ? `/v2/authentication-realms/${realm.data}/user-authentication-info/${id}`
    : undefined
}
