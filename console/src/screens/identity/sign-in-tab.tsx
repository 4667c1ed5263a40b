import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { type Item, pageIn, valueAt } from '../../api/objects.ts'
import { fillPath, resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { termOf } from '../../api/terms.ts'
import { Reference } from '../../fields/reference.tsx'
import { buttonClass } from '../../parts/button.tsx'
import { faultTexts } from '../../parts/faults.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import { textOf } from './identities.ts'
import css from './identity.module.css'
import { LinkCard } from './link-card.tsx'
import { linkPathOf, linksId, passwordsId, realmPathOf, useItem, userPathOf, useSignIns } from './sign-ins.ts'

/** How a user signs in, and why they cannot. */
export function SignInTab({ item: user, itemPath }: TabProps) {
  const { identity } = screenWords
  const rights = useRights()
  const [links, passwords] = [resourceOf(linksId), resourceOf(passwordsId)]
  const mayRead = links !== undefined && rights.may(links.right)
  const mayReadPasswords = passwords !== undefined && rights.may(passwords.right)
  const ofProviders = useSignIns(linksId, itemPath, mayRead)
  const ofPasswords = useSignIns(passwordsId, itemPath, mayReadPasswords)
  const realm = useItem(realmPathOf(itemPath)).data?.item
  const [done, setDone] = useState('')
  const name = textOf(user, 'name')
  if (!links || !rights.isKnown) return <p role="status">{words.loading}</p>
  if (!mayRead) return <p>{words.rights.missing(links.right, rights.role ?? '')}</p>
  const error = ofProviders.error ?? ofPasswords.error
  if (error) return <Notice sign="⚠" title={words.record.failed} about={faultTexts(error).join(' ')} />
  if (!ofProviders.data || (mayReadPasswords && !ofPasswords.data))
    return <p role="status">{words.loading}</p>
  const isOfCustomers = ofCustomers(realm)
  const hasNothing = !ofProviders.data.length && ofPasswords.data?.length === 0 && !isOfCustomers
  return (
    <>
      <p role="status" className={css.done}>
        {done}
      </p>
      <section aria-labelledby="providers">
        <h2 id="providers">{identity.providers}</h2>
        <Twins user={user} userPath={itemPath} />
        {ofProviders.data.length === 0 && (
          <p className={hasNothing ? css.concern : undefined}>
            {hasNothing ? identity.nothing(name) : identity.none(name)}
          </p>
        )}
        <ul className={css.links}>
          {ofProviders.data.map((link) => (
            <li key={String(link.id)}>
              <LinkCard
                {...{ link, user, isOfCustomers }}
                linkPath={linkPathOf(links, itemPath, link)}
                userPath={itemPath}
                onDone={setDone}
              />
            </li>
          ))}
        </ul>
        {links.create && rights.may(links.create.right) && (
          <Link
            to="/$"
            className={buttonClass()}
            params={{ _splat: fillPath(links.path, itemPath).slice(1) }}
            search={{ form: 'new', back: itemPath }}
          >
            {identity.link}
          </Link>
        )}
      </section>
      {mayReadPasswords && (
        <section aria-labelledby="passwords">
          <h2 id="passwords">{identity.passwords}</h2>
          {ofPasswords.data?.length === 0 && <p>{identity.noPasswords}</p>}
          <ul className={css.passwords}>
            {ofPasswords.data?.map((one) => (
              <li key={String(one.id)}>
                <Reference type="password_profile" id={textOf(one, 'password_profile_id')} near={itemPath} />{' '}
                <bdi>{identity.username(textOf(one, 'username'))}</bdi>
              </li>
            ))}
          </ul>
          {isOfCustomers && (
            <p>
              {identity.customerPassword}{' '}
              <Link to="/$" params={{ _splat: `v2/customers/${user.id}` }}>
                {identity.customer}
              </Link>
            </p>
          )}
        </section>
      )}
    </>
  )
}

interface TwinsProps {
  readonly user: Item
  readonly userPath: string
}

/** The users of the realm who have the same email address, with the way to all of them. */
function Twins({ user, userPath }: TwinsProps) {
  const { identity } = screenWords
  const filter = termOf('eq', 'email', textOf(user, 'email'))
  const listPath = userPath.slice(0, userPath.lastIndexOf('/'))
  const path = `${listPath}?${new URLSearchParams({ filter, 'page[limit]': '1' })}`
  const { data } = useQuery({
    queryKey: ['list', path],
    queryFn: async ({ signal }) => pageIn((await send({ path, signal })).body).total ?? 0,
  })
  if (data === undefined || data < 2) return null
  return (
    <p className={css.concern}>
      <Link to="/$" params={{ _splat: listPath.slice(1) }} search={{ filter }}>
        {identity.twins(data - 1)}
      </Link>{' '}
      {identity.twinsAbout}
    </p>
  )
}

/** Whether the users of a realm are customers, who have their passwords elsewhere. */
const ofCustomers = (realm: Item | undefined): boolean =>
  String(valueAt(realm, 'relationships.origin.data.type') ?? '').startsWith('customer')

/** One sign-in at a provider, on a page of its own. */
export function LinkTab({ item: link, itemPath }: TabProps) {
  const userPath = userPathOf(itemPath)
  const user = useItem(userPath)
  const realm = useItem(realmPathOf(userPath)).data?.item
  const [done, setDone] = useState('')
  if (user.error)
    return <Notice sign="⚠" title={words.record.failed} about={faultTexts(user.error).join(' ')} />
  if (!user.data) return <p role="status">{words.loading}</p>
  return (
    <>
      <p role="status" className={css.done}>
        {done}
      </p>
      <p>
        <Link to="/$" params={{ _splat: userPath.slice(1) }}>
          <bdi>{textOf(user.data.item, 'name')}</bdi>
        </Link>
      </p>
      <LinkCard
        {...{ link, userPath }}
        user={user.data.item}
        isOfCustomers={ofCustomers(realm)}
        linkPath={itemPath}
        onDone={setDone}
      />
    </>
  )
}
