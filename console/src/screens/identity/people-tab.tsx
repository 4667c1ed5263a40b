import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { send } from '../../api/client.ts'
import { pageIn } from '../../api/objects.ts'
import { fillPath, resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { termOf } from '../../api/terms.ts'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './identity.module.css'

/** The users of a realm, by whether a provider can sign them in. */
export function PeopleTab({ itemPath }: TabProps) {
  const { people } = screenWords.identity
  const rights = useRights()
  const users = resourceOf('user-authentication-infos')
  if (!users || !rights.isKnown) return <p role="status">{words.loading}</p>
  if (!rights.may(users.right)) return <p>{words.rights.missing(users.right, rights.role ?? '')}</p>
  const listPath = fillPath(users.path, `${itemPath}/user-authentication-info`)
  const byLink = (value: string) => termOf('eq', 'has_oidc_profile_info', value)
  return (
    <>
      <ul className={css.people}>
        <UsersLine listPath={listPath} about={people.all} />
        <UsersLine listPath={listPath} filter={byLink('true')} about={people.linked} />
        <UsersLine listPath={listPath} filter={byLink('false')} about={people.unlinked} />
      </ul>
      <p className={css.dim}>{people.about}</p>
    </>
  )
}

interface UsersLineProps {
  readonly listPath: string
  readonly filter?: string
  readonly about: string
}

/** How many users a filter finds, with the way to them. */
function UsersLine({ listPath, filter, about }: UsersLineProps) {
  const path = `${listPath}?${new URLSearchParams({ 'page[limit]': '1', ...(filter && { filter }) })}`
  const { data } = useQuery({
    queryKey: ['list', path],
    queryFn: async ({ signal }) => pageIn((await send({ path, signal })).body).total ?? 0,
  })
  return (
    <li>
      <Link to="/$" params={{ _splat: listPath.slice(1) }} search={filter ? { filter } : {}}>
        {data === undefined ? '…' : screenWords.identity.people.users(data)}
      </Link>{' '}
      {about}
    </li>
  )
}
