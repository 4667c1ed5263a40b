import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Author } from '../api/history-entry.ts'
import { placeAt } from '../api/resources.ts'
import { useRights } from '../api/rights.ts'
import { merchantRealmQuery, usersOf } from '../fields/colleagues.ts'
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
  const realm = useQuery({ ...merchantRealmQuery, enabled: kind === 'colleague-token' })
  if (kind === 'client-credentials-token') return `/v2/application-keys/${id}`
  if (kind === 'customer-token') return `/v2/customers/${id}`
  if (kind === 'account-management-authentication-token') return `/v2/account-members/${id}`
  return kind === 'colleague-token' && realm.data ? `${usersOf(realm.data)}/${id}` : undefined
}
